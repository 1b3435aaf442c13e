import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ApiRequest, decodeWatch, isConnectionError, KubeClient } from '@waygate/kube';
import { fail, type Outcome, pass } from '../driver.ts';
import { differs, type Problem, type Scenario, type Step } from './client-go-scenario.ts';

interface AnswerData {
  readonly status?: number;
  readonly retryAfter?: number;
  readonly networkError?: string;
}

/** Runs a scenario of kind `http`: what a client sends again, and after how long. */
export async function runHttp(scenario: Scenario): Promise<Outcome> {
  const answers = (scenario.server ?? []) as AnswerData[];
  let attempts = 0;
  let waitedMs = 0;
  const server = createServer((request, response) => {
    const answer = answers[attempts++] ?? (scenario.serverRepeat as AnswerData | undefined);
    if (answer?.status === undefined) {
      request.socket.resetAndDestroy();
      return;
    }
    if (answer.retryAfter !== undefined) {
      response.setHeader('retry-after', String(answer.retryAfter));
    }
    response.writeHead(answer.status).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const sleep = async (ms: number) => {
    waitedMs += ms;
  };
  const client = new KubeClient({ server: `http://127.0.0.1:${port}`, namespace: '' }, { sleep });
  const request: ApiRequest = { method: scenario.verb as ApiRequest['method'], path: '/' };
  const ok = await client.send(request).then(
    ({ body }) => body.resume() !== undefined,
    () => false,
  );
  await client.close();
  server.close();
  const actual: Record<string, unknown> = { attempts, waitedMs, ok };
  for (const [name, value] of Object.entries(scenario.expect ?? {})) {
    const problem = differs(value, actual[name]);
    if (problem !== undefined) return fail(`${name}: ${problem}`);
  }
  return pass;
}

/** Runs a scenario of kind `watchDecode`: bytes in any chunks to events. */
export async function runWatchDecode(scenario: Scenario): Promise<Outcome> {
  for (const [index, step] of (scenario.steps ?? []).entries()) {
    const problem = await decodeStep(step);
    if (problem !== undefined) return fail(`step ${index} (${step.op}): ${problem}`);
  }
  return pass;
}

async function decodeStep(step: Step): Promise<Problem> {
  if (step.op === 'feed') {
    const decoded = await decode((step.chunks as string[]).map((chunk) => Buffer.from(chunk)));
    return checkDecoded(step, decoded);
  }
  if (step.op !== 'feedAllSplits') return `the driver does not know the op ${step.op}`;
  const bytes = Buffer.from(step.line as string);
  for (let at = 0; at <= bytes.length; at++) {
    const problem = checkDecoded(step, await decode([bytes.subarray(0, at), bytes.subarray(at)]));
    if (problem !== undefined) return `split at ${at}: ${problem}`;
  }
  return undefined;
}

interface Decoded {
  readonly names: (string | undefined)[];
  readonly end: 'end' | 'decodeError' | 'unexpectedEOF';
}

async function decode(chunks: readonly Buffer[]): Promise<Decoded> {
  const names: (string | undefined)[] = [];
  async function* stream() {
    yield* chunks;
  }
  try {
    for await (const event of decodeWatch(stream())) {
      if (event.type === 'ERROR') return { names, end: 'decodeError' };
      names.push(event.object.metadata.name);
    }
  } catch (error) {
    if (isConnectionError(error)) return { names, end: 'unexpectedEOF' };
    throw error;
  }
  return { names, end: 'end' };
}

function checkDecoded(step: Step, { names, end }: Decoded): Problem {
  if (step.expectEvents !== undefined && names.length !== step.expectEvents)
    return differs(step.expectEvents, names.length);
  if (step.expectName !== undefined && names[0] !== step.expectName)
    return differs(step.expectName, names[0]);
  if (step.expectNames !== undefined) {
    const problem = differs(step.expectNames, names);
    if (problem !== undefined) return problem;
  }
  return step.expectEnd === undefined ? undefined : differs(step.expectEnd, end);
}
