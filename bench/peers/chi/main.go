// Codes as a peer of herald's verification: what one writes in Go over Redis, with chi and go-redis.
//
//	server LISTEN REDIS
//
// It answers the requests that herald answers, so that the same generator measures both. A code is
// a hash that expires; each guess is counted in the same step that reads it, and the right one
// removes it. What a phone would have got by SMS waits in memory until somebody claims it. GET
// /health/live never reaches Redis: the price of Go's HTTP.
package main

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"log"
	"math/big"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/redis/go-redis/v9"
)

const (
	codeLife    = 300 * time.Second
	attemptsMax = 5
	connections = 32
	pause       = 20 * time.Millisecond
)

var codes = big.NewInt(1000000)

type message struct {
	ID        string `json:"id"`
	LeaseID   string `json:"lease_id"`
	Recipient string `json:"recipient"`
	Text      string `json:"text"`
}

// The messages that no phone has claimed yet.
type outbox struct {
	lock     sync.Mutex
	messages []message
}

func (o *outbox) put(m message) {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.messages = append(o.messages, m)
}

func (o *outbox) take() (message, bool) {
	o.lock.Lock()
	defer o.lock.Unlock()
	last := len(o.messages) - 1
	if last < 0 {
		return message{}, false
	}
	taken := o.messages[last]
	o.messages = o.messages[:last]
	return taken, true
}

type service struct {
	redis  *redis.Client
	outbox outbox
}

func key(recipient string) string { return "otp:" + recipient }

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		log.Print(err)
	}
}

func refuse(w http.ResponseWriter, status int, err error) {
	reply(w, status, map[string]string{"message": err.Error()})
}

func record(recipient, state string) map[string]string {
	return map[string]string{"id": recipient, "recipient": recipient, "state": state}
}

func (s *service) store(ctx context.Context, recipient, code string) error {
	_, err := s.redis.TxPipelined(ctx, func(tx redis.Pipeliner) error {
		tx.HSet(ctx, key(recipient), "code", code, "attempts", 0)
		tx.Expire(ctx, key(recipient), codeLife)
		return nil
	})
	return err
}

func (s *service) create(w http.ResponseWriter, r *http.Request) {
	var body struct{ Recipient string }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	n, err := rand.Int(rand.Reader, codes)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	code := fmt.Sprintf("%06d", n)
	if err := s.store(r.Context(), body.Recipient, code); err != nil {
		refuse(w, http.StatusServiceUnavailable, err)
		return
	}
	s.outbox.put(message{body.Recipient, body.Recipient, body.Recipient, code})
	reply(w, http.StatusCreated, record(body.Recipient, "queued"))
}

// Counts the attempt, and tells whether it is the right one.
func (s *service) check(ctx context.Context, recipient, guess string) (bool, error) {
	var attempts *redis.IntCmd
	var code *redis.StringCmd
	_, err := s.redis.TxPipelined(ctx, func(tx redis.Pipeliner) error {
		attempts = tx.HIncrBy(ctx, key(recipient), "attempts", 1)
		code = tx.HGet(ctx, key(recipient), "code")
		return nil
	})
	if err != nil {
		return false, err
	}
	isRight := subtle.ConstantTimeCompare([]byte(code.Val()), []byte(guess)) == 1
	return isRight && attempts.Val() <= attemptsMax, nil
}

func (s *service) verify(w http.ResponseWriter, r *http.Request) {
	recipient := chi.URLParam(r, "id")
	var body struct{ Code string }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	isRight, err := s.check(r.Context(), recipient, body.Code)
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, err)
		return
	}
	if !isRight {
		reply(w, http.StatusOK, record(recipient, "queued"))
		return
	}
	// One of two right guesses at once is told so.
	removed, err := s.redis.Del(r.Context(), key(recipient)).Result()
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, err)
		return
	}
	state := "queued"
	if removed == 1 {
		state = "confirmed"
	}
	reply(w, http.StatusOK, record(recipient, state))
}

func (s *service) claim(w http.ResponseWriter, _ *http.Request) {
	m, isThere := s.outbox.take()
	if !isThere {
		reply(w, http.StatusOK, struct{}{})
		return
	}
	reply(w, http.StatusOK, m)
}

// Redis is started at the same time.
func connect(address string) *redis.Client {
	client := redis.NewClient(&redis.Options{Addr: address, PoolSize: connections})
	for client.Ping(context.Background()).Err() != nil {
		time.Sleep(pause)
	}
	return client
}

func main() {
	service := &service{redis: connect(os.Args[2])}
	router := chi.NewRouter()
	router.Get("/health/live", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, map[string]bool{"ok": true})
	})
	router.Post("/internal/v1/otp", service.create)
	router.Post("/internal/v1/otp/{id}/verify", service.verify)
	router.Post("/device/v1/sms/claim", service.claim)
	router.Post("/device/v1/sms/{id}/result", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(http.ListenAndServe(os.Args[1], router))
}
