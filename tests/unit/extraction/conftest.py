"""A server on this machine that answers as a test tells it to."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class ModelServer:
    """Answers every POST with ``respond(handler)`` and keeps what was asked."""

    def __init__(self):
        self.asked = []
        self.headers = []
        self.arrived = threading.Event()
        self.release = threading.Event()
        self.respond = None
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                length = int(self.headers["Content-Length"])
                self.asked = json.loads(self.rfile.read(length))
                outer.asked.append(self.asked)
                outer.headers.append((self.path, dict(self.headers)))
                outer.arrived.set()
                outer.respond(self)

            def log_message(self, *args):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            # A client that gives up early is what several tests are about.
            def handle_error(self, request, client_address):
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def answers(self, body, *, status=200, headers=()):
        """Answer with ``body``, bytes or data, and honest headers unless others are given."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.respond = lambda handler: _send(handler, raw, status, headers)

    def mirrors(self, of):
        """Answer with what ``of`` makes of the question."""
        self.respond = lambda handler: _send(handler, json.dumps(of(handler.asked)).encode())

    def holds(self):
        """Answer nothing until ``release`` is set."""
        self.respond = lambda _: self.release.wait(30)

    def close(self):
        self.release.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _send(handler, raw, status=200, headers=()):
    sent = {"Content-Type": "application/json", "Content-Length": len(raw), **dict(headers)}
    handler.send_response(status)
    for name, value in sent.items():
        handler.send_header(name, str(value))
    handler.end_headers()
    handler.wfile.write(raw)


@pytest.fixture
def server():
    started = ModelServer()
    yield started
    started.close()
