module herald.example/tokenclient

go 1.18

require golang.org/x/oauth2 v0.26.0
