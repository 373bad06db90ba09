#!/usr/bin/env python3
"""Webhooks as a team sends them by itself: Python's standard library, a thread for each connection, all of
them kept open. A delivery is signed after Standard Webhooks 1.0, and is tried again until it is taken.

  server.py HOST:PORT ENDPOINTS CONNECTIONS   (of each endpoint)

POST /events takes a body, which goes to /0, /1 and so on. Nothing is stored: what is not delivered when it
ends is lost.
"""

import base64
import hmac
import http.client
import queue
import secrets
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ANSWER_TIMEOUT_S = 60
PAUSE_S = 1


class Endpoint:
    def __init__(self, host, number, connections):
        self.host = host
        self.path = f"/{number}"
        self.secret = secrets.token_bytes(32)
        self.waiting = queue.SimpleQueue()
        for _ in range(connections):
            threading.Thread(target=self.deliver, daemon=True).start()

    def deliver(self):
        connection = http.client.HTTPConnection(self.host, timeout=ANSWER_TIMEOUT_S)
        while True:
            event_id, body = self.waiting.get()
            while not self.attempt(connection, event_id, body):
                time.sleep(PAUSE_S)

    def attempt(self, connection, event_id, body):
        at = str(int(time.time()))
        signed = f"{event_id}.{at}.".encode() + body
        mac = base64.b64encode(hmac.digest(self.secret, signed, "sha256")).decode()
        headers = {
            "Content-Type": "application/json",
            "webhook-id": event_id,
            "webhook-timestamp": at,
            "webhook-signature": f"v1,{mac}",
        }
        try:
            connection.request("POST", self.path, body, headers)
            answer = connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            return False
        return 200 <= answer.status < 300


class Events(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    endpoints = ()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        event_id = str(uuid.uuid4())
        for endpoint in self.endpoints:
            endpoint.waiting.put((event_id, body))
        self.send_response(202)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def main(host, endpoints, connections):
    Events.endpoints = [Endpoint(host, number, int(connections)) for number in range(int(endpoints))]
    server = Server(("127.0.0.1", 0), Events)
    print(f"listening on 127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
