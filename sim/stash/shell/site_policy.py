"""What Stash sends along with every HTML answer."""

CONTENT_SECURITY_POLICY = (
    "default-src data: 'self' 'unsafe-inline'; connect-src data: 'self' ws: wss:; img-src data: *; "
    "script-src 'self' http://www.gstatic.com https://www.gstatic.com 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; media-src blob: 'self'; worker-src blob:; child-src 'none'; object-src 'none'; "
    "form-action 'self'"
)

HTML_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
