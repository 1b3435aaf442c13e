import { afterEach, describe, expect, test } from 'vitest';
import type { GatewayLog } from '../../plugin/plugin-runtime.ts';
import { PluginGateway } from '../../testing/plugin-gateway.ts';

const gateway = new PluginGateway();
const errors: string[] = [];
const log: GatewayLog = {
  warn: (message) => errors.push(`warn ${message}`),
  error: (message, details) => errors.push(`${message} ${String(details?.error ?? '')}`),
};

afterEach(async () => {
  await gateway.stop();
  errors.length = 0;
});

type Functions = Readonly<Record<string, readonly string[]>>;

/** A gateway with functions before other plugins. */
async function start(config: Functions, more: readonly object[] = [], extra: object = {}) {
  const backend = await gateway.backend('b', ({ url }) =>
    url.startsWith('/json') ? { body: '{"a":1}', headers: { 'x-up': 'u' } } : undefined,
  );
  await gateway.start(backend, [{ name: 'pre-function', config }, ...more], extra, { log });
  return gateway;
}

/** What the upstream got. */
function upstream() {
  return gateway.received.find(({ server }) => server === 'b');
}

describe('functions before a request goes to the upstream', () => {
  test('change what it gets', async () => {
    await start({
      access: [
        `kong.service.request.set_header("x-one", kong.request.get_method() .. kong.request.get_path())
         kong.service.request.add_header("x-two", "a")
         kong.service.request.add_header("x-two", "b")
         kong.service.request.clear_header("x-secret")
         kong.service.request.set_headers({["x-three"] = {"1", "2"}, ["x-four"] = 4})
         kong.service.request.set_path("/new path")
         kong.service.request.set_query({b = "2 3", a = {1, true}})`,
      ],
    });
    await gateway.ask({ path: '/p?x=1', headers: { 'x-secret': 's' } });
    expect(upstream()).toMatchObject({
      url: '/new%20path?a=1&a&b=2%203',
      headers: { 'x-one': 'GET/p', 'x-two': 'a, b', 'x-three': '1, 2', 'x-four': '4' },
    });
    expect(upstream()?.headers['x-secret']).toBeUndefined();
  });

  test('read the request', async () => {
    await start({
      access: [
        `local r, c = kong.request, kong.client
         local parts = { r.get_scheme(), r.get_host(), r.get_raw_query(), r.get_query_arg("q"),
           r.get_header("X-A"), tostring(r.get_query().flag), #r.get_query().m, c.get_ip(),
           kong.router.get_route().name, kong.router.get_service().name, ngx.var.request_uri, ngx.var.arg_q,
           ngx.var.http_x_a, ngx.req.get_headers()["x-a"], r.get_http_version() }
         return kong.response.exit(200, table.concat(parts, "|"), { ["content-type"] = "text/x" })`,
      ],
    });
    const answer = await gateway.ask({ path: '/p?q=1&flag&m=1&m=2', headers: { 'X-A': 'v' } });
    expect(answer.body).toBe(
      'http|shop.test|q=1&flag&m=1&m=2|1|v|true|2|127.0.0.1|r|s|/p?q=1&flag&m=1&m=2|1|v|v|1.1',
    );
    expect(answer.headers['content-type']).toBe('text/x');
  });

  test('read and replace bodies, plain and as JSON', async () => {
    await start({
      access: [
        `local body = kong.request.get_body()
         kong.service.request.set_body({ got = body.name, list = {1, 2}, raw = #kong.request.get_raw_body() }, "application/json")`,
      ],
    });
    const body = '{"name":"grün"}';
    await gateway.ask({ method: 'POST', body, headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(upstream()?.body ?? '')).toEqual({ got: 'grün', list: [1, 2], raw: 16 });
  });

  test('end the request, with a table as JSON', async () => {
    await start({
      access: [
        `if kong.request.get_header("x-stop") then
           return kong.response.exit(418, { message = "no", list = { "a" } }, { ["X-Why"] = "tea" })
         end`,
        'kong.service.request.set_header("x-second", "ran")',
      ],
    });
    const stopped = await gateway.ask({ headers: { 'x-stop': '1' } });
    expect(stopped).toMatchObject({ status: 418, headers: { 'x-why': 'tea' } });
    expect(JSON.parse(stopped.body)).toEqual({ message: 'no', list: ['a'] });
    expect(upstream()).toBeUndefined();
    expect((await gateway.ask()).status).toBe(200);
    expect(upstream()?.headers['x-second']).toBe('ran');
  });

  test('send it elsewhere', async () => {
    const other = await gateway.backend('other');
    await start({ access: [`kong.service.set_target("127.0.0.1", ${other})`] });
    expect((await gateway.ask()).body).toBe('other');
  });

  test('may look at and decide on consumers', async () => {
    const consumers = [{ username: 'ann', id: '5e8f1c1a-0000-4000-8000-000000000001' }];
    await start(
      {
        access: [
          `local c = kong.client.load_consumer("5e8f1c1a-0000-4000-8000-000000000001")
           kong.client.authenticate(c, { id = "cred" })
           kong.service.request.set_header("x-name", kong.client.get_consumer().username)`,
        ],
      },
      [],
      { consumers },
    );
    await gateway.ask();
    expect(upstream()?.headers['x-name']).toBe('ann');
  });
});

describe('functions on the answer', () => {
  test('change its head and its body, and headers that were set before are there', async () => {
    await start({
      access: ['kong.response.set_header("x-early", "yes") kong.ctx.shared.n = 41'],
      header_filter: [
        `kong.response.set_header("x-n", kong.ctx.shared.n + 1)
         kong.response.clear_header("x-up")
         kong.response.set_status(202)
         ngx.header["X-Source"] = kong.response.get_source()`,
      ],
      body_filter: ['kong.response.set_raw_body(kong.response.get_raw_body():upper())'],
    });
    const answer = await gateway.ask({ path: '/json' });
    expect(answer).toMatchObject({
      status: 202,
      body: '{"A":1}',
      headers: { 'x-early': 'yes', 'x-n': '42', 'x-source': 'service' },
    });
    expect(answer.headers['x-up']).toBeUndefined();
  });

  test('what ngx.arg says is the body', async () => {
    await start({ body_filter: ['ngx.arg[1] = "<" .. ngx.arg[1] .. ">"'] });
    expect((await gateway.ask()).body).toBe('<b>');
  });

  test('fields of log entries are functions, too', async () => {
    const collector = await gateway.backend('log');
    const config = {
      http_endpoint: `http://127.0.0.1:${collector}/`,
      custom_fields_by_lua: {
        'a.b': 'return kong.request.get_path()',
        'request.headers': 'return nil',
        bad: 'return nothing.at.all',
        n: 'return { 1, 2 }',
      },
    };
    await start({ log: ['local x = 1'] }, [{ name: 'http-log', config }]);
    await gateway.ask({ path: '/logged' });
    while (!gateway.received.some(({ server }) => server === 'log')) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const sent = gateway.received.find(({ server }) => server === 'log')?.body ?? '';
    const entry = JSON.parse(sent) as Record<string, Record<string, unknown>>;
    expect(entry).toMatchObject({ a: { b: '/logged' }, n: [1, 2] });
    expect(entry.request?.headers).toBeUndefined();
    expect(entry.bad).toBeUndefined();
    expect(errors.join()).toContain("attempt to index global 'nothing' (a nil value)");
  });
});

describe('functions that misbehave', () => {
  test('cost their own request a 500, and no other', async () => {
    const rows = [
      ['while true do end', 'too many steps'],
      ['local t = {} while true do t[#t + 1] = ("x"):rep(1000) end', 'too long'],
      ['local function f() return f() + 1 end f()', 'too deeply'],
      ['error("on purpose")', 'on purpose'],
      ['nothing.at.all()', 'attempt to index global'],
      ['kong.response.exit("x")', 'expects a number'],
      ['kong.service.request.set_header("a b", "x")', 'invalid header name'],
      ['kong.request.get_path = nil', 'cannot be changed'],
      ['ngx.re.match(("a"):rep(100000), "(a*)*b(?=x)")', 'refused'],
    ] as const;
    const branches = rows.map(
      ([source], index) => `if kong.request.get_path() == "/${index}" then ${source} end`,
    );
    await start({ access: [branches.join('\n')] });
    for (const [index, [, message]] of rows.entries()) {
      const bad = await gateway.ask({ path: `/${index}` });
      expect(bad.status).toBe(500);
      expect(JSON.parse(bad.body)).toMatchObject({ message: 'An unexpected error occurred' });
      expect(errors.at(-1)).toContain(message);
      expect((await gateway.ask({ path: '/good' })).status).toBe(200);
    }
  });

  test('in the answer they only leave a line in the log', async () => {
    await start({ header_filter: ['error("late")'], log: ['error("later")'] });
    expect((await gateway.ask()).status).toBe(200);
    expect(errors.join()).toContain('late');
  });

  test('no line break gets into a head', async () => {
    await start({ access: ['kong.service.request.set_header("x-a", "1\\r\\nx-evil: 1")'] });
    await gateway.ask();
    expect(upstream()?.headers).toMatchObject({ 'x-a': '1x-evil: 1' });
    expect(upstream()?.headers['x-evil']).toBeUndefined();
  });

  test('are refused when they are configured if they cannot be read, or reach out', async () => {
    const backend = await gateway.backend('b');
    for (const source of [
      'syntax error here',
      'local x = require("io")',
      'os.execute("id") io.read()',
    ]) {
      const plugins = [{ name: 'pre-function', config: { access: [source] } }];
      await expect(gateway.start(backend, plugins)).rejects.toThrow('error parsing pre-function');
    }
    const plugins = [{ name: 'post-function', config: { certificate: ['return'] } }];
    await expect(gateway.start(backend, plugins)).rejects.toThrow('shakes hands');
  });

  test('have no way out: os tells the time and nothing else', async () => {
    await start({
      access: [
        'return kong.response.exit(200, { type(os.time()), type(os.execute), type(os.getenv), os.date("!%Y", 0) })',
      ],
    });
    expect(JSON.parse((await gateway.ask()).body)).toEqual(['number', 'nil', 'nil', '1970']);
  });
});

describe('ngx', () => {
  test('has what people use', async () => {
    const rows = [
      ['ngx.encode_base64("a") .. ngx.decode_base64("Yg==")', 'YQ==b'],
      ['ngx.md5("x")', '9dd4e461268c8034f5c8564e155c67a6'],
      ['ngx.escape_uri("a b/é")', 'a%20b%2F%C3%A9'],
      ['ngx.unescape_uri("a%20b")', 'a b'],
      ['ngx.re.match("v=12", "v=(\\\\d+)")[1]', '12'],
      ['(ngx.re.gsub("aXbX", "x", "-", "i"))', 'a-b-'],
      ['ngx.re.match("ab", "(?<first>a)").first', 'a'],
      ['ngx.HTTP_FORBIDDEN .. ngx.get_phase()', '403access'],
      ['tostring(ngx.null == ngx.null) .. type(ngx.null)', 'trueuserdata'],
      ['ngx.today():len()', '10'],
    ] as const;
    const list = rows.map(([expression]) => expression).join(', ');
    await start({ access: [`return kong.response.exit(200, { ${list} })`] });
    const given = JSON.parse((await gateway.ask()).body) as (string | number)[];
    expect(given.map(String)).toEqual(rows.map(([, expected]) => expected));
  });

  test('ngx.say and ngx.exit answer', async () => {
    await start({ access: ['ngx.say("hello") ngx.exit(ngx.HTTP_OK)'] });
    expect(await gateway.ask()).toMatchObject({ status: 200, body: 'hello\n' });
  });
});

describe('what functions keep', () => {
  test('a function that is returned runs from then on, and its locals stay', async () => {
    await start({
      access: [
        'local n = 0 return function() n = n + 1 kong.service.request.set_header("x-n", n) end',
      ],
    });
    for (let round = 0; round < 3; round += 1) await gateway.ask();
    expect(gateway.received.map(({ headers }) => headers['x-n'])).toEqual(['1', '2', '3']);
  });

  test('templates of request-transformer see kong.ctx.shared', async () => {
    await start({ access: ['kong.ctx.shared.who = "ann"'] }, [
      { name: 'request-transformer', config: { add: { headers: ['x-who:$(shared.who)'] } } },
    ]);
    await gateway.ask();
    expect(upstream()?.headers['x-who']).toBe('ann');
  });
});
