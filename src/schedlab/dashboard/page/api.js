// Questions to the server.

export class ServerError extends Error {
  constructor(text, field, status) {
    super(text);
    this.field = field;
    this.status = status;
  }
}

async function answer(response) {
  if (response.ok) return response;
  let body = {};
  try {
    body = await response.json();
  } catch {
    // not JSON: the status is all there is
  }
  if (response.status === 401) location.reload(); // asks for the token
  throw new ServerError(body.error || `the server answers ${response.status}`, body.field, response.status);
}

async function ask(address, options) {
  let response;
  try {
    response = await fetch(address, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError("the server does not answer; has it ended?", null, 0);
  }
  return answer(response);
}

export async function get(path, query = {}) {
  return (await ask(`${path}?${new URLSearchParams(query)}`)).json();
}

export async function getBytes(path, query = {}) {
  return (await ask(`${path}?${new URLSearchParams(query)}`)).arrayBuffer();
}

export async function post(path, data) {
  const headers = { "content-type": "application/json", "x-schedlab": "page" };
  return (await ask(path, { method: "POST", headers, body: JSON.stringify(data) })).json();
}

let loading = null;

// Returns plotly, which is loaded when the first plot is drawn.
export function plotly() {
  loading ||= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "/static/plotly.min.js";
    script.onload = () => setTimeout(() => resolve(window.Plotly)); // reading it takes long enough for one task
    script.onerror = () => reject(new ServerError("plotly.min.js cannot be loaded", null, 0));
    document.head.append(script);
  });
  return loading;
}
