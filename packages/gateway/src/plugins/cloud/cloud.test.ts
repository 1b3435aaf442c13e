import { afterEach, describe, expect, test } from 'vitest';
import { PluginGateway } from '../../testing/plugin-gateway.ts';

const gateway = new PluginGateway();

afterEach(() => gateway.stop());

/** A stand-in for AWS, and a gateway whose plugin calls it. */
async function lambda(
  answer: { status?: number; body?: string; headers?: Record<string, string> },
  config: object = {},
) {
  const port = await gateway.backend('aws', () => answer);
  const whole = {
    aws_key: 'AK',
    aws_secret: 'SK',
    aws_region: 'eu-west-1',
    function_name: 'greet',
    host: '127.0.0.1',
    port,
    disable_https: true,
    ...config,
  };
  await gateway.start(port, [{ name: 'aws-lambda', config: whole }]);
}

function called() {
  const request = gateway.received.find(({ server }) => server === 'aws');
  return { ...request, event: JSON.parse(request?.body || '{}') as Record<string, unknown> };
}

describe('aws-lambda', () => {
  test('calls the function with arguments and fields, and gives its answer', async () => {
    await lambda({ body: '"hi"', headers: { 'x-amz-request-id': 'r1' } }, { qualifier: 'v2' });
    const answer = await gateway.ask({
      path: '/p?a=1&b=2',
      method: 'POST',
      body: '{"b":3,"c":4}',
      headers: { 'content-type': 'application/json' },
    });
    expect(answer).toMatchObject({
      status: 200,
      body: '"hi"',
      headers: { 'x-amz-request-id': 'r1' },
    });
    const { url, headers, event } = called();
    expect(url).toBe('/2015-03-31/functions/greet/invocations?Qualifier=v2');
    expect(headers).toMatchObject({
      'x-amz-invocation-type': 'RequestResponse',
      'x-amz-log-type': 'Tail',
      'content-type': 'application/x-amz-json-1.1',
    });
    expect(headers?.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AK\/\d{8}\/eu-west-1\/lambda\//,
    );
    expect(event).toEqual({ a: '1', b: 3, c: 4 });
  });

  test('tells what it is asked to', async () => {
    const forward = {
      forward_request_method: true,
      forward_request_uri: true,
      forward_request_body: true,
    };
    await lambda({ body: '' }, { ...forward, forward_request_headers: true });
    await gateway.ask({
      path: '/p?q',
      method: 'PUT',
      body: 'raw',
      headers: { 'content-type': 'image/x' },
    });
    expect(called().event).toMatchObject({
      request_method: 'PUT',
      request_uri: '/p?q',
      request_uri_args: { q: true },
      request_body: Buffer.from('raw').toString('base64'),
      request_body_base64: true,
      request_headers: { 'content-type': 'image/x' },
    });
  });

  test('speaks as the gateway of Amazon', async () => {
    const said = {
      statusCode: 201,
      headers: { 'x-a': '1', 'x-evil': 'a\r\nb: c' },
      multiValueHeaders: { 'set-cookie': ['a=1', 'b=2'] },
      body: Buffer.from('made').toString('base64'),
      isBase64Encoded: true,
    };
    const config = { awsgateway_compatible: true, is_proxy_integration: true };
    await lambda({ body: JSON.stringify(said) }, config);
    const answer = await gateway.ask({ path: '/p?a=1&a=2', method: 'POST', body: 'x' });
    expect(answer).toMatchObject({
      status: 201,
      body: 'made',
      headers: { 'x-a': '1', 'set-cookie': ['a=1', 'b=2'] },
    });
    expect(answer.headers.b).toBeUndefined();
    expect(called().event).toMatchObject({
      httpMethod: 'POST',
      path: '/p',
      queryStringParameters: { a: '1' },
      multiValueQueryStringParameters: { a: ['1', '2'] },
      body: 'eA==',
      isBase64Encoded: true,
    });
  });

  test.each([
    ['no JSON', 'no JSON'],
    ['{"statusCode":"x"}', 'statusCode validation failed'],
    ['{"statusCode":200,"body":{}}', 'body must be a string'],
  ])('%s is no answer of a function', async (body, reason) => {
    await lambda({ body }, { is_proxy_integration: true });
    const answer = await gateway.ask();
    expect(answer.status).toBe(502);
    expect(answer.body).toContain(reason);
  });

  test('an error of the function has the status that is asked for', async () => {
    await lambda({ headers: { 'X-Amz-Function-Error': 'Unhandled' } }, { unhandled_status: 412 });
    expect((await gateway.ask()).status).toBe(412);
  });

  test('what it cannot do is refused when it is configured', async () => {
    await expect(lambda({}, { aws_assume_role_arn: 'arn:aws:iam::1:role/x' })).rejects.toThrow(
      'assumes no roles',
    );
    await lambda({}, { aws_key: null, aws_secret: null });
    expect((await gateway.ask()).status).toBe(500);
  });
});

describe('azure-functions', () => {
  test('calls the function with its key, and gives its answer', async () => {
    const port = await gateway.backend('azure', () => ({ status: 202, headers: { 'x-a': '1' } }));
    const config = {
      appname: '127',
      hostdomain: `0.0.1:${port}`,
      https: false,
      functionname: '/greet/',
      apikey: 'k',
      clientid: 'c',
    };
    await gateway.start(port, [{ name: 'azure-functions', config }]);
    const answer = await gateway.ask({ path: '/x?y=1', method: 'POST', body: 'b' });
    expect(answer).toMatchObject({ status: 202, body: 'azure', headers: { 'x-a': '1' } });
    expect(gateway.received[0]).toMatchObject({
      url: '/api/greet/x?y=1',
      method: 'POST',
      body: 'b',
      headers: { 'x-functions-key': 'k', 'x-functions-clientid': 'c' },
    });
  });
});
