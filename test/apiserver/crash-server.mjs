// A server for the crash test. It loads everything, then waits for a line with its data
// directory and token: the next one is loaded while the last one still runs.
import { createInterface } from 'node:readline';
import { ApiServer } from '@waygate/apiserver';

const lines = createInterface({ input: process.stdin });
lines.once('line', async (line) => {
  const { dataDir, adminToken } = JSON.parse(line);
  const server = await new ApiServer({ dataDir, adminToken, insecure: true }).start();
  process.stdout.write(`${server.url}\n`);
});
