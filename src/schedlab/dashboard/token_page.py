"""Pages for those who have not shown the token yet; they need no other file of the server."""

from __future__ import annotations

_HEAD = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>schedlab: {title}</title>{more}
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; background: #f6f7f9; margin: 0; }}
main {{ max-width: 34rem; margin: 12vh auto 0; padding: 1.5rem 2rem; background: #fff;
  border: 1px solid #d5d9de; border-radius: 6px; }}
h1 {{ font-size: 1.2rem; margin: 0 0 .75rem; }}
code {{ background: #eef0f3; padding: .1em .3em; border-radius: 3px; overflow-wrap: anywhere; }}
input {{ font: inherit; width: 18rem; max-width: 60%; padding: .25rem .4rem; }}
button {{ font: inherit; padding: .25rem .9rem; }}
.wrong {{ color: #a40e26; font-weight: 600; }}
@media (prefers-color-scheme: dark) {{
  body {{ color: #e6e8eb; background: #14171a; }}
  main {{ background: #1d2125; border-color: #3a4047; }}
  code {{ background: #2a2f35; }}
  .wrong {{ color: #ff8f8f; }}
}}
</style></head><body><main><h1>schedlab</h1>"""

_ASK = """{message}
<p>The terminal in which <code>schedlab dashboard</code> runs shows a link:
<code>http://{place}/?token=&hellip;</code> Open that link, or paste what follows
<code>token=</code> here. A dashboard that was started again has a new token, unless it was given
one.</p>
<form method="post" action="/token">
<label>Token <input name="token" type="password" autofocus autocomplete="off"></label>
<button>Open</button></form></main></body></html>"""

_FIRST = "<p>This dashboard shows its runs only to those who have its token.</p>"
_WRONG = '<p class="wrong">This is not the token of this dashboard.</p>'


def ask_page(place: str, is_wrong: bool) -> str:
    """Returns the page that asks for the token, and says where it is.

    Args:
        place: Host and port by which the browser calls, written without what HTML would read.
        is_wrong: A wrong token was given.
    """
    head = _HEAD.format(title="token", more="")
    return head + _ASK.format(message=_WRONG if is_wrong else _FIRST, place=place)


def forward_page(address: str) -> str:
    """Returns a page that continues to an address of this server.

    A browser that came from elsewhere (a file, a mail program) sends no strict cookie when it
    follows a redirect, but does when a page of this server leads it on.
    """
    more = f'<meta http-equiv="refresh" content="0; url={address}">'
    return f"{_HEAD.format(title='open', more=more)}<p>Opening.</p></main></body></html>"
