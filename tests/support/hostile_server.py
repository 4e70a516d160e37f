"""A server that answers whatever a test wants and remembers who asked for what."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class HostileServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.asked = []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.asked.append((self.command, self.path, dict(self.headers.items()), body))
        status, headers, content = self.server.answer(self.path)
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Content-Length" not in headers and "Transfer-Encoding" not in headers:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        try:
            for piece in [content] if isinstance(content, bytes) else content:
                self.wfile.write(piece)
                self.wfile.flush()
        except OSError:
            self.close_connection = True  # it had enough of us

    do_GET = do_PUT = do_POST = do_CONNECT = _serve  # noqa: N815 - the standard library's names

    def log_message(self, *_):
        pass


@contextmanager
def hostile_server(answer):
    """Serve `answer(path) -> (status, headers, content)`, content being bytes or an iterable of pieces."""
    server = HostileServer(answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
