// A client of golang.org/x/oauth2/clientcredentials: the case comes in as JSON on stdin, what the
// library made of herald's answers goes out as JSON on stdout.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"
	"strings"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

type testCase struct {
	TokenURL     string `json:"token_url"`
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	Method       string `json:"method"`
	Scope        string `json:"scope"`
	EventURL     string `json:"event_url"`
}

var styles = map[string]oauth2.AuthStyle{
	"basic":       oauth2.AuthStyleInHeader,
	"post":        oauth2.AuthStyleInParams,
	"auto-detect": oauth2.AuthStyleAutoDetect,
}

func fetchToken(ctx context.Context, config *clientcredentials.Config) (map[string]any, error) {
	token, err := config.Token(ctx)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"access_token": token.AccessToken,
		"token_type":   token.Type(),
		"expires_in":   token.Extra("expires_in"),
		"scope":        token.Extra("scope"),
		"is_valid":     token.Valid(),
	}, nil
}

func askEvent(ctx context.Context, config *clientcredentials.Config, url string) (int, error) {
	answer, err := config.Client(ctx).Get(url)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	return answer.StatusCode, nil
}

func run(asked testCase) (map[string]any, error) {
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, http.DefaultClient)
	config := &clientcredentials.Config{
		ClientID:     asked.ClientID,
		ClientSecret: asked.ClientSecret,
		TokenURL:     asked.TokenURL,
		Scopes:       strings.Fields(asked.Scope),
		AuthStyle:    styles[asked.Method],
	}
	token, err := fetchToken(ctx, config)
	if err != nil {
		return nil, err
	}
	status, err := askEvent(ctx, config, asked.EventURL)
	return map[string]any{"token": token, "event_status": status}, err
}

func main() {
	var asked testCase
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		log.Fatal(err)
	}
	answer, err := run(asked)
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && refused.ErrorCode != "" {
		answer = map[string]any{"refused": map[string]any{
			"error":  refused.ErrorCode,
			"status": refused.Response.StatusCode,
		}}
	} else if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		log.Fatal(err)
	}
}
