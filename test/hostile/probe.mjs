// The victim's backend and the client that asks for it, in a process of their own: what the attackers
// cost the test must not count as what they cost the victim.
import { createServer, request } from 'node:http';

const headers = { host: 'victim.test' };
const everyMs = 100;
const patienceMs = 30_000;

const backend = createServer((asked, response) => response.end(`victim ${asked.url}`));
backend.listen(0, '127.0.0.1', () => process.send({ type: 'port', port: backend.address().port }));

/** @type {{ at: string, asked: string, got: string }[]} */
const wrong = [];
/** @type {number[]} */
const milliseconds = [];
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
      const answer = observe(command, count);
      asked.add(answer);
      answer.finally(() => asked.delete(answer));
      count += 1;
    }, everyMs);
  }
  if (command.type === 'stop') {
    clearInterval(timer);
    await Promise.all(asked);
    process.send({ type: 'observed', wrong, milliseconds });
  }
});
process.once('disconnect', () => process.exit(0));

async function observe(command, count) {
  const at = new Date().toISOString().slice(11, 23);
  const started = performance.now();
  const got = await ask(command, count);
  milliseconds.push(performance.now() - started);
  if (got !== undefined)
    wrong.push({ at, asked: count % 2 === 0 ? 'with the key' : 'without the key', got });
}

/** What came instead of the right answer; undefined when it was right. Always a new connection. */
function ask({ port, key }, count) {
  const path = `/asked/${count}`;
  const isKeyed = count % 2 === 0;
  return new Promise((resolve) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      agent: false,
      headers: isKeyed ? { ...headers, apikey: key } : headers,
    });
    sent.setTimeout(patienceMs, () => sent.destroy(new Error('no answer')));
    sent.once('error', (error) => resolve(error.message));
    sent.once('response', (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.once('error', (error) => resolve(error.message));
      response.once('end', () => {
        const isRight = isKeyed
          ? response.statusCode === 200 && text === `victim ${path}`
          : response.statusCode === 401;
        resolve(isRight ? undefined : `${response.statusCode} ${text}`);
      });
    });
    sent.end();
  });
}
