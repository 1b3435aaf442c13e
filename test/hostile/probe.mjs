// The victim's backend and the client that asks for it, in a process of their own: what the attackers
// cost the test must not count as what they cost the victim.
import { createServer, request } from 'node:http';
import { request as secureRequest } from 'node:https';

const headers = { host: 'victim.test' };
const everyMs = 100;
/** How many requests to the gateway go before one to the API. */
const apiShare = 5;
const patienceMs = 30_000;
/** The API may be slow under attack, and its figures say so; what it answers must be right. */
const apiPatienceMs = 120_000;

const backend = createServer((asked, response) => response.end(`victim ${asked.url}`));
backend.listen(0, '127.0.0.1', () => process.send({ type: 'port', port: backend.address().port }));

/** @type {{ at: string, asked: string, got: string }[]} */
const wrong = [];
/** @type {number[]} */
const milliseconds = [];
/** @type {number[]} */
const apiMilliseconds = [];
const asked = new Set();
let timer;

process.on('message', async (command) => {
  if (command.type === 'check') {
    const answers = [await ask(command, 0), await ask(command, 1)];
    process.send({ type: 'checked', wrong: answers.filter((answer) => answer !== undefined) });
  }
  if (command.type === 'start') {
    let count = 0;
    timer = setInterval(() => {
      keep(observe(command, count));
      if (count % apiShare === 0) keep(observeApi(command));
      count += 1;
    }, everyMs);
  }
  if (command.type === 'stop') {
    clearInterval(timer);
    await Promise.all(asked);
    process.send({ type: 'observed', wrong, milliseconds, apiMilliseconds });
  }
});
process.once('disconnect', () => process.exit(0));

function keep(answer) {
  asked.add(answer);
  answer.finally(() => asked.delete(answer));
}

/** The victim's own object, as its author reads it. */
async function observeApi({ api }) {
  const at = new Date().toISOString().slice(11, 23);
  const started = performance.now();
  const got = await answerTo(
    secureRequest({
      ...{ host: '127.0.0.1', port: api.port, ca: api.ca, agent: false },
      path: '/api/v1/namespaces/victim/secrets/key',
      headers: { authorization: `Bearer ${api.token}` },
    }),
    apiPatienceMs,
  );
  apiMilliseconds.push(performance.now() - started);
  const isRight = got.status === 200 && got.text.includes('"name":"key"');
  if (!isRight) wrong.push({ at, asked: 'the API', got: `${got.status} ${got.text}` });
}

async function observe(command, count) {
  const at = new Date().toISOString().slice(11, 23);
  const started = performance.now();
  const got = await ask(command, count);
  milliseconds.push(performance.now() - started);
  if (got !== undefined)
    wrong.push({ at, asked: count % 2 === 0 ? 'with the key' : 'without the key', got });
}

/** What came instead of the right answer; undefined when it was right. Always a new connection. */
async function ask({ port, key }, count) {
  const path = `/asked/${count}`;
  const isKeyed = count % 2 === 0;
  const sent = isKeyed ? { ...headers, apikey: key } : headers;
  const to = { host: '127.0.0.1', port, path, agent: false, headers: sent };
  const { status, text } = await answerTo(request(to));
  const isRight = isKeyed ? status === 200 && text === `victim ${path}` : status === 401;
  return isRight ? undefined : `${status} ${text}`;
}

function answerTo(sent, waitMs = patienceMs) {
  return new Promise((resolve) => {
    const fail = (error) => resolve({ status: 0, text: error.message });
    sent.setTimeout(waitMs, () => sent.destroy(new Error('no answer')));
    sent.once('error', fail);
    sent.once('response', (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.once('error', fail);
      response.once('end', () => resolve({ status: response.statusCode, text }));
    });
    sent.end();
  });
}
