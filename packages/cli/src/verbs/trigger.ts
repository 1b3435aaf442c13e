import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { webhookPath } from '@waygate/gitops';
import {
  discardBody,
  environmentProxy,
  explainNetworkError,
  HttpClient,
  type HttpRequest,
  parseDuration,
  type Send,
  targetOf,
} from '@waygate/text';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { systemNamespace } from '../flux/upsert.ts';
import { timeoutOption } from '../reconcile-wait.ts';

interface Flags {
  readonly namespace?: string;
  readonly url?: string;
  readonly token?: string;
  readonly type: string;
  readonly payload: string;
  readonly retries: number;
  readonly retryDelay: number;
  readonly timeout: number;
}

/** Answers after which the same request may be taken: a receiver's path is there a moment after it is. */
const transient = new Set([404, 408, 429, 500, 502, 503, 504]);

export function configure(command: Command, context: CliContext): void {
  command
    .argument('<kind>', 'receiver')
    .argument('<name>', 'the name of the Receiver')
    .option('--url <address>', 'where receivers are reached from outside')
    .option('--token <token>', "the token of the Receiver's Secret")
    .addOption(
      new Option('--type <type>', 'how the request proves itself')
        .choices(['generic', 'generic-hmac'])
        .default('generic'),
    )
    .option('--payload <json>', 'what is sent', '{}')
    .option('--retries <count>', 'how often it is tried again', count, 10)
    .addOption(durationOption('--retry-delay <duration>', 'how long to wait before that', '10s'))
    .option('-n, --namespace <name>', 'the namespace of the Receiver')
    .addOption(timeoutOption())
    .addHelpText(
      'after',
      `
Sends a request to the webhook of a Receiver, as "flux trigger receiver" does: at the end of a pipeline, say.
Its path follows from its name, namespace and token; no cluster is asked.

Examples:
  waygate trigger receiver push --url https://flux.example --token "$TOKEN"
  waygate trigger receiver push -n apps --type generic-hmac --url https://flux.example --token "$TOKEN"`,
    )
    .action((kind: string, name: string, flags: Flags) => run(kind, name, flags, context));
}

function count(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('must be a number.');
}

function durationOption(flags: string, summary: string, shown: string): Option {
  return new Option(flags, summary).default(parseDuration(shown), shown).argParser((text) => {
    try {
      return parseDuration(text);
    } catch {
      throw new InvalidArgumentError('must be a duration such as 90s or 5m.');
    }
  });
}

async function run(kind: string, name: string, flags: Flags, context: CliContext): Promise<void> {
  const { url, token = '', type, payload } = flags;
  const usage = { exitCode: exitCode.usage };
  if (kind !== 'receiver') throw new CliError('only a receiver is triggered', usage);
  if (url === undefined) throw new CliError('--url is required', usage);
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new CliError(`--url must be an address such as https://flux.example, not ${url}`, usage);
  if (token === '') throw new CliError(`--token is required for the ${type} type`, usage);
  const namespace = flags.namespace ?? systemNamespace(context.env);
  const address = `${url.replace(/\/+$/, '')}${webhookPath(token, name, namespace)}`;
  const headers = {
    'content-type': 'application/json',
    ...(type === 'generic-hmac' ? { 'x-signature': signature(token, payload) } : {}),
  };
  const client = new HttpClient({ proxyFor: (server) => environmentProxy(server, context.env) });
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(flags.timeout)]);
  context.stderr.write(`► triggering Receiver ${namespace}/${name}\n`);
  const request = { ...targetOf(new URL(address)), headers, body: payload, signal };
  try {
    for (let tried = 1; ; tried += 1) {
      const refusal = await refusalOf(request, client.send);
      if (refusal === undefined) break;
      if (!refusal.isTransient || tried > flags.retries || signal.aborted)
        throw new CliError(refusal.message);
      context.stderr.write(`◎ ${refusal.message}; trying again (${tried}/${flags.retries})\n`);
      await delay(flags.retryDelay, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    client.close();
  }
  context.stderr.write(`✔ Receiver ${namespace}/${name} triggered\n`);
}

function signature(token: string, payload: string): string {
  return `sha256=${createHmac('sha256', token).update(payload).digest('hex')}`;
}

/** Why a request was not taken. Its path is a secret: the words name the host alone. */
async function refusalOf(
  request: HttpRequest,
  send: Send,
): Promise<{ message: string; isTransient: boolean } | undefined> {
  const { host } = new URL(request.origin);
  try {
    const response = await send({ method: 'POST', ...request });
    discardBody(response);
    const { statusCode } = response;
    if (statusCode >= 200 && statusCode < 300) return undefined;
    return {
      message: `request to ${host} failed with status ${statusCode}`,
      isTransient: transient.has(statusCode),
    };
  } catch (error) {
    return {
      message: `request to ${host} failed: ${explainNetworkError(error)}`,
      isTransient: true,
    };
  }
}
