"""Pages of other sites in the browser of a user who has the dashboard open."""

from __future__ import annotations

import http.server
import threading

import pytest
from dashboard.browsing import TOKEN, serve
from dashboard.conftest import write_inputs

# What a page can try: each gives what it could read, or how it failed.
TRIES = """async (address) => {
  const form = {name: "evil", workload: "0:workload.swf", system: "0:system.toml",
                scheduler: "easy", allocator: "first-fit"};
  const text = async (options, path = "/api/runs") => {
    try {
      const answer = await fetch(address + path, {credentials: "include", ...options});
      return `${answer.type} ${answer.status} ${await answer.text()}`;
    } catch (error) { return `refused: ${error.name}`; }
  };
  const post = (options) =>
    text({method: "POST", body: JSON.stringify(form), ...options}, "/api/launch");
  const socket = () => new Promise((resolve) => {
    const opened = new WebSocket(address.replace("http", "ws") + "/api/live?run=easy");
    opened.onmessage = (event) => resolve(event.data);
    opened.onerror = () => resolve("refused: error");
  });
  const framed = () => new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.src = address + "/";
    frame.onload = () => {
      try { resolve(`read ${frame.contentDocument.body.innerText}`); }
      catch (error) { resolve(`refused: ${error.name}`); }
    };
    document.body.append(frame);
  });
  const script = () => new Promise((resolve) => {
    const element = document.createElement("script");
    element.src = address + "/api/runs";
    element.onload = () => resolve("loaded");
    element.onerror = () => resolve("refused: error");
    document.body.append(element);
  });
  const submitted = () => new Promise((resolve) => {
    const name = "target" + Math.random();
    const frame = document.createElement("iframe");
    frame.name = name;
    document.body.append(frame);
    const element = document.createElement("form");
    Object.assign(element, {method: "POST", action: address + "/api/launch", target: name,
                            enctype: "text/plain"});
    const field = document.createElement("input");
    Object.assign(field, {name: JSON.stringify(form).slice(0, -1) + ',"x":"', value: '"}'});
    element.append(field);
    document.body.append(element);
    frame.onload = () => {
      try { resolve(`read ${frame.contentDocument.body.innerText}`); }
      catch (error) { resolve(`refused: ${error.name}`); }
    };
    element.submit();
  });
  return {
    "read": await text({}),
    "read blindly": await text({mode: "no-cors"}),
    "start": await post({headers: {"content-type": "application/json", "x-schedlab": "1"}}),
    "start blindly": await post({mode: "no-cors"}),
    "start by a form": await submitted(),
    "websocket": await socket(),
    "frame": await framed(),
    "script": await script(),
  };
}"""


@pytest.fixture
def other_site():
    """A web server of another user of this machine, at another port."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><body>another site</body>")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_other_sites_read_and_start_nothing(browser, other_site, tmp_path, name):
    write_inputs(tmp_path)
    process, link = serve(tmp_path, SCHEDLAB_TOKEN=TOKEN)
    context = browser.new_context()
    try:
        own = context.new_page()
        own.goto(link)
        own.wait_for_selector("#view")
        address = own.url.split("/#")[0].rstrip("/")
        page = context.new_page()
        page.goto(f"http://{name}:{other_site}/")
        outcomes = page.evaluate(TRIES, address)
        for way, outcome in outcomes.items():
            opaque = outcome.startswith("opaque 0 ") and outcome.endswith(" ")  # no byte of it
            assert outcome.startswith("refused: ") or opaque, (way, outcome)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["system.toml", "workload.swf"]
        # The page itself still can.
        assert own.evaluate("fetch('/api/runs').then((answer) => answer.status)") == 200
    finally:
        context.close()
        process.terminate()
        process.wait()


def test_a_browser_that_comes_from_a_file_is_let_in(browser, results, tmp_path):
    from schedlab.dashboard.link_file import link_file

    process, link = serve(results, SCHEDLAB_TOKEN=TOKEN)
    context = browser.new_context()
    try:
        with link_file(link) as path:
            page = context.new_page()
            page.goto(f"file://{path}")
            page.wait_for_selector("tr[data-run='easy']")
        assert TOKEN not in page.url
        assert page.evaluate("document.cookie") == ""  # scripts cannot read it
        assert page.evaluate("history.length") <= 2
        page.go_back()
        assert TOKEN not in page.url
    finally:
        context.close()
        process.terminate()
        process.wait()


def test_a_link_of_an_earlier_start_leads_to_the_question(browser, results):
    process, link = serve(results)
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    page.wait_for_selector("tr[data-run='easy']")
    process.terminate()
    process.wait()
    port = link.split(":")[2].partition("/")[0]
    process, again = serve(results, "--port", port)
    try:
        assert again != link
        page.goto(link)
        page.wait_for_selector("text=This is not the token of this dashboard.")
        page.goto(link.partition("?")[0])  # with the cookie of the earlier start
        page.wait_for_selector("input[name=token]")
        page.goto(again)
        page.wait_for_selector("tr[data-run='easy']")
    finally:
        context.close()
        process.terminate()
        process.wait()
