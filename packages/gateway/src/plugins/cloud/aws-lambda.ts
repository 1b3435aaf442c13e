import { awsSignedHeaders, HttpClient, readBody as readAnswer } from '@waygate/text';
import type { ConfigProblems } from '../../plugin/config-schema.ts';
import { type AnyPlugin, definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { readBody } from '../../proxy/request-body.ts';
import { type CloudAnswer, exitWithAnswer } from './cloud-answer.ts';
import { type EventConfig, lambdaEvent } from './lambda-event.ts';

interface LambdaConfig extends EventConfig {
  readonly timeout: number;
  readonly aws_key: string | null;
  readonly aws_secret: string | null;
  readonly aws_assume_role_arn: string | null;
  readonly aws_region: string | null;
  readonly function_name: string | null;
  readonly qualifier: string | null;
  readonly invocation_type: string;
  readonly log_type: string;
  readonly host: string | null;
  readonly port: number;
  readonly disable_https: boolean;
  readonly unhandled_status: number | null;
  readonly is_proxy_integration: boolean;
  readonly proxy_url: string | null;
}

const maximumBodyBytes = 6 * 1_024 * 1_024;

/** Has a function of AWS Lambda answer. */
export function awsLambda(): AnyPlugin {
  const client = new HttpClient({ maxConnections: 256, tls: { isUnverified: true } });
  return definePlugin<LambdaConfig>({
    name: 'aws-lambda',
    priority: 750,
    check: lambdaProblems,
    async access(context, config) {
      const body = await readBody(context, maximumBodyBytes);
      if (body === undefined) {
        context.fail(413, 'Request Entity Too Large');
        return;
      }
      try {
        const answer = await invoke(client, context, config, body);
        exitWithAnswer(context, config.is_proxy_integration ? proxied(answer) : answer);
      } catch (error) {
        const { function_name: name } = config;
        context.runtime.log.error('a function cannot be called', { name, error: String(error) });
        const isAnswer = error instanceof BadAnswer;
        if (isAnswer) context.exit(502, { message: 'Bad Gateway', error: error.message });
        else context.fail(500, 'An unexpected error occurred');
      }
    },
    close: () => client.close(),
  });
}

/** What of Kong's configuration is not there: other names and other ways to call a function by. */
function lambdaProblems(config: LambdaConfig): ConfigProblems | undefined {
  if (config.aws_assume_role_arn !== null && config.aws_assume_role_arn !== undefined) {
    return { aws_assume_role_arn: 'this gateway assumes no roles' };
  }
  return config.proxy_url === null || config.proxy_url === undefined
    ? undefined
    : { proxy_url: 'this gateway calls functions without a proxy' };
}

async function invoke(
  client: HttpClient,
  context: RequestContext,
  config: LambdaConfig,
  body: Buffer,
): Promise<CloudAnswer> {
  if (config.aws_key === null || config.aws_secret === null) {
    // Kong would ask the machine that it runs on; who may write a plugin is not to have that one's rights.
    throw new Error('aws_key and aws_secret are needed');
  }
  const region = config.aws_region ?? process.env.AWS_REGION ?? 'us-east-1';
  const host = config.host ?? `lambda.${region}.amazonaws.com`;
  const scheme = config.disable_https ? 'http' : 'https';
  const name = encodeURIComponent(config.function_name ?? '');
  const query = config.qualifier ? `?Qualifier=${encodeURIComponent(config.qualifier)}` : '';
  const url = new URL(
    `${scheme}://${host}:${config.port}/2015-03-31/functions/${name}/invocations${query}`,
  );
  const event = Buffer.from(JSON.stringify(lambdaEvent(context, config, body)));
  const given = {
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-invocation-type': config.invocation_type,
    'x-amz-log-type': config.log_type,
    'x-amz-target': 'invoke',
  };
  const keys = { accessKey: config.aws_key, secretKey: config.aws_secret };
  const headers = awsSignedHeaders(
    { method: 'POST', url, headers: given, body: event },
    { keys, region, service: 'lambda', nowMs: context.runtime.now() },
  );
  const response = await client.send({
    method: 'POST',
    origin: url.origin,
    path: url.pathname + url.search,
    headers,
    body: event,
    idleTimeoutMs: config.timeout,
  });
  const content = await readAnswer(response, maximumBodyBytes);
  const isUnhandled = response.headers['x-amz-function-error'] === 'Unhandled';
  const status = isUnhandled
    ? (config.unhandled_status ?? response.statusCode)
    : response.statusCode;
  return { status, headers: response.headers, body: content };
}

/** What a function says that is no answer in the form of Amazon's gateway. */
class BadAnswer extends Error {
  constructor(reason: string) {
    super(`could not JSON decode Lambda function response: ${reason}`);
  }
}

/** The answer that a function describes, instead of what it says itself. */
function proxied({ headers, body }: CloudAnswer): CloudAnswer {
  let said: Record<string, unknown>;
  try {
    said = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
  } catch {
    throw new BadAnswer('it is no JSON');
  }
  if (typeof said !== 'object' || said === null)
    throw new BadAnswer('proxy response must be json format');
  const status = Number(said.statusCode);
  if (!Number.isInteger(status) || status < 100 || status > 599) {
    throw new BadAnswer('statusCode validation failed');
  }
  const given = said.headers ?? {};
  if (typeof given !== 'object') throw new BadAnswer('headers must be a table');
  const text = said.body ?? '';
  if (typeof text !== 'string') throw new BadAnswer('body must be a string');
  const isEncoded = said.isBase64Encoded ?? false;
  if (typeof isEncoded !== 'boolean') throw new BadAnswer('isBase64Encoded must be a boolean');
  const lists = typeof said.multiValueHeaders === 'object' ? said.multiValueHeaders : {};
  return {
    status,
    headers: { ...headers, ...given, ...lists } as CloudAnswer['headers'],
    body: Buffer.from(text, isEncoded ? 'base64' : 'utf8'),
  };
}
