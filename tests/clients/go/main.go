// A client of oapi-codegen. What it reads has the types of the document, or it does not compile.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"github.com/google/uuid"

	"herald.example/generatedclient/herald"
)

func main() {
	ctx := context.Background()
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-Internal-API-Key", os.Getenv("HERALD_KEY"))
		return nil
	}
	client, err := herald.NewClientWithResponses(os.Getenv("HERALD_URL"), herald.WithRequestEditorFn(withKey))
	check(err)

	limit := int64(10)
	page, err := client.ListDevicesWithResponse(ctx, &herald.ListDevicesParams{Limit: &limit})
	check(err)
	numbers := []string{}
	for _, device := range page.JSON200.Devices {
		for _, row := range device.Numbers {
			numbers = append(numbers, row.Number)
		}
	}

	otp, err := client.CreateOtpWithResponse(ctx,
		&herald.CreateOtpParams{IdempotencyKey: uuid.NewString()},
		herald.OTPInput{Channel: "sms", Recipient: os.Getenv("HERALD_RECIPIENT")})
	check(err)
	if otp.JSON201 == nil {
		log.Fatalf("no code: %s", otp.Body)
	}
	var state herald.OTPState = otp.JSON201.State

	refused, err := client.GetOtpWithResponse(ctx, uuid.New(), nil)
	check(err)
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"numbers":       numbers,
		"id":            otp.JSON201.Id,
		"state":         state,
		"attempts_left": otp.JSON201.AttemptsLeft,
		"confirmed":     otp.JSON201.ConfirmedAt,
		"refusal":       []any{refused.StatusCode(), refused.JSON404.Error.Code},
	}))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
