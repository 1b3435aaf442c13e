import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PluginGateway } from '../../testing/plugin-gateway.ts';

const now = Date.UTC(2024, 1, 3, 4, 5, 6, 789);

/** What an expression says in the access phase of a request, its values with commas between them. */
const expressions: readonly (readonly [expression: string, value: string])[] = [
  // Numbers that OpenResty has.
  [
    'ngx.HTTP_OK, ngx.HTTP_CREATED, ngx.HTTP_ACCEPTED, ngx.HTTP_NO_CONTENT, ngx.HTTP_MOVED_PERMANENTLY, ngx.HTTP_MOVED_TEMPORARILY, ngx.HTTP_SEE_OTHER, ngx.HTTP_NOT_MODIFIED, ngx.HTTP_TEMPORARY_REDIRECT, ngx.HTTP_PERMANENT_REDIRECT',
    '200,201,202,204,301,302,303,304,307,308',
  ],
  [
    'ngx.HTTP_BAD_REQUEST, ngx.HTTP_UNAUTHORIZED, ngx.HTTP_FORBIDDEN, ngx.HTTP_NOT_FOUND, ngx.HTTP_NOT_ALLOWED, ngx.HTTP_CONFLICT, ngx.HTTP_GONE, ngx.HTTP_TOO_MANY_REQUESTS',
    '400,401,403,404,405,409,410,429',
  ],
  [
    'ngx.HTTP_INTERNAL_SERVER_ERROR, ngx.HTTP_NOT_IMPLEMENTED, ngx.HTTP_BAD_GATEWAY, ngx.HTTP_SERVICE_UNAVAILABLE, ngx.HTTP_GATEWAY_TIMEOUT',
    '500,501,502,503,504',
  ],
  [
    'ngx.STDERR, ngx.EMERG, ngx.ALERT, ngx.CRIT, ngx.ERR, ngx.WARN, ngx.NOTICE, ngx.INFO, ngx.DEBUG',
    '0,1,2,3,4,5,6,7,8',
  ],
  [
    'ngx.HTTP_GET, ngx.HTTP_HEAD, ngx.HTTP_PUT, ngx.HTTP_POST, ngx.HTTP_DELETE, ngx.HTTP_OPTIONS',
    '2,4,8,16,32,64',
  ],
  ['ngx.OK, ngx.ERROR, ngx.DECLINED, type(ngx.null), ngx.nothing', '0,-1,-5,userdata,nil'],
  // Times.
  ['ngx.time(), ngx.now(), os.time()', '1706933106,1706933106.789,1706933106'],
  [
    'ngx.today(), ngx.utctime(), ngx.localtime()',
    '2024-02-03,2024-02-03 04:05:06,2024-02-03 04:05:06',
  ],
  ['ngx.http_time(0)', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ['ngx.parse_http_time("Thu, 01 Jan 1970 00:01:00 GMT"), ngx.parse_http_time("x")', '60,nil'],
  ['os.time({year = 2024, month = 2, day = 3, hour = 4, min = 5, sec = 6})', '1706933106'],
  ['os.time({year = 2024, month = 2, day = 3})', '1706961600'],
  ['os.time({})', '43200'],
  ['os.difftime(5, 3)', '2'],
  [
    'os.date("!%Y-%m-%d %H:%M:%S %y %a %b %Z %z %X %T %F %% %Q", 0)',
    '1970-01-01 00:00:00 70 Thu Jan UTC +0000 00:00:00 00:00:00 1970-01-01 % %Q',
  ],
  ['os.date("%Y-%m-%d")', '2024-02-03'],
  ['type(os.clock()), ngx.update_time()', 'number,nil'],
  ['ngx.get_phase()', 'access'],
  // Texts.
  ['ngx.escape_uri("a b/ü~"), ngx.unescape_uri("a+b%2Fc%zz")', 'a%20b%2F%C3%BC~,a b/c%zz'],
  ['ngx.encode_args({b = "2 3", a = {1, true}, c = false})', 'a=1&a&b=2%203'],
  ['ngx.decode_args("a=1&b").a, ngx.decode_args("a=1&b").b', '1,true'],
  [
    'ngx.encode_base64("hello"), ngx.decode_base64("aGVsbG8="), ngx.decode_base64("*")',
    'aGVsbG8=,hello,nil',
  ],
  [
    'ngx.md5("hello"), #ngx.md5_bin("hello"), #ngx.sha1_bin("hello")',
    '5d41402abc4b2a76b9719d911017c592,16,20',
  ],
  ['ngx.encode_base64(ngx.hmac_sha1("k", "hello"))', 'C3k40aLNyvqUZFpcNQj3I2rkV6k='],
  ['ngx.crc32_short("hello"), ngx.crc32_long("hello")', '907060870,907060870'],
  // Patterns.
  [
    'ngx.re.match("ab12", "([a-z]+)(\\\\d)(x)?")[0], ngx.re.match("ab12", "([a-z]+)(\\\\d)(x)?")[2]',
    'ab1,1',
  ],
  ['ngx.re.match("ab12", "(x)?b")[1]', 'false'],
  ['ngx.re.match("ab12", "(?<word>[a-z]+)").word, ngx.re.match("x", "y")', 'ab,nil'],
  [
    'ngx.re.match("AB", "ab", "i")[0], ngx.re.match("AB", "ab"), ngx.re.match("aXa", "a", "o", {pos = 2})[0]',
    'AB,nil,a',
  ],
  ['ngx.re.find("ab12", "\\\\d+")', '3,4'],
  ['ngx.re.find("ab12", "x")', 'nil'],
  ['ngx.re.sub("a1b2", "\\\\d", "<$0>")', 'a<1>b2,1'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how ngx.re names a group.
  ['ngx.re.gsub("a1b2", "([a-z])(\\\\d)", "$2${1}$$")', '1a$2b$,2'],
  ['ngx.re.gsub("a1b2", "[a-z]", function(m) return m[0]:upper() end)', 'A1B2,2'],
  ['ngx.re.gsub("ab", "x*", "-")', '-a-b-,3'],
  ['ngx.re.gsub("ab", "a", function() end)', 'b,1'],
  ['ngx.re.gsub("AaA", "a", "x", "i")', 'xxx,3'],
  ['(pcall(ngx.re.gsub, "ab", "a", 5)), (pcall(ngx.re.match, "ab", "("))', 'false,false'],
  [
    '(function() local o = {} for m in ngx.re.gmatch("a1b22", "\\\\d+") do o[#o + 1] = m[0] end return table.concat(o, ";") end)()',
    '1;22',
  ],
  [
    '(function() local n = 0 for m in ngx.re.gmatch("ab", "x*") do n = n + 1 end return n end)()',
    '3',
  ],
  // Variables.
  ['ngx.var.args, ngx.var.query_string, ngx.var.is_args', 'q=1&flag&m=1&m=2,q=1&flag&m=1&m=2,?'],
  ['ngx.var.request_method, ngx.var.scheme, ngx.var.https, ngx.var.host', 'GET,http,,shop.test'],
  [
    'ngx.var.remote_addr, ngx.var.realip_remote_addr, ngx.var.server_addr',
    '127.0.0.1,127.0.0.1,127.0.0.1',
  ],
  [
    'ngx.var.server_protocol, ngx.var.ssl_server_name, ngx.var.content_type, ngx.var.content_length',
    'HTTP/1.1,nil,nil,nil',
  ],
  [
    'ngx.var.http_x_a, ngx.var.arg_q, ngx.var.arg_none, ngx.var.cookie_c, ngx.var.cookie_d, ngx.var.nothing',
    'v,1,nil,yes,nil,nil',
  ],
  ['ngx.var.status, ngx.var.upstream_status, ngx.var.sent_http_x, ngx.status', 'nil,nil,nil,0'],
  ['ngx.var.upstream_uri, ngx.var.upstream_scheme', '/a%20b?q=1&flag&m=1&m=2,http'],
  [
    'tonumber(ngx.var.remote_port) == kong.client.get_port(), tonumber(ngx.var.server_port) == kong.request.get_port()',
    'true,true',
  ],
  ['#ngx.var.request_id, ngx.var.kong_request_id == ngx.var.request_id', '32,true'],
  [
    '(pcall(function() ngx.var.scheme = "x" end)), (pcall(function() ngx.var.upstream_uri = "x" end))',
    'false,false',
  ],
  [
    'ngx.worker.id(), ngx.worker.count(), ngx.worker.exiting(), ngx.config.subsystem, ngx.config.nginx_version',
    '0,1,false,http,1025003',
  ],
  // The request.
  [
    'ngx.req.get_method(), ngx.req.http_version(), ngx.req.get_headers()["x-a"], ngx.req.get_uri_args().q',
    'GET,1.1,v,1',
  ],
  ['ngx.req.read_body(), ngx.req.get_body_data()', 'nil,nil'],
  ['(pcall(ngx.req.set_method, 1))', 'false'],
  [
    'kong.request.get_scheme(), kong.request.get_host(), kong.request.get_method()',
    'http,shop.test,GET',
  ],
  [
    'kong.request.get_forwarded_scheme(), kong.request.get_forwarded_host(), kong.request.get_forwarded_prefix()',
    'http,shop.test,/',
  ],
  [
    'kong.request.get_path():match("/a b$"), kong.request.get_raw_path():match("/a%%20b$"), kong.request.get_path_with_query():match("%?.*")',
    '/a b,/a%20b,?q=1&flag&m=1&m=2',
  ],
  [
    'kong.request.get_raw_query(), kong.request.get_query_arg("m"), kong.request.get_query().flag, #kong.request.get_query().m',
    'q=1&flag&m=1&m=2,1,true,2',
  ],
  [
    'kong.request.get_header("X-A"), kong.request.get_headers()["x-a"], kong.request.get_header("none")',
    'v,v,nil',
  ],
  [
    'kong.request.get_raw_body(), kong.request.get_body("application/json")',
    ',nil,invalid json body,application/json',
  ],
  ['kong.request.get_body("text/x")', "nil,unsupported content type 'text/x',text/x"],
  ['#kong.request.get_uri_captures().unnamed, kong.request.get_http_version()', '0,1.1'],
  // Everything else.
  [
    'kong.client.get_ip(), kong.client.get_forwarded_ip(), kong.client.get_protocol()',
    '127.0.0.1,127.0.0.1,http',
  ],
  ['kong.client.get_consumer(), kong.client.get_credential()', 'nil,nil'],
  ['kong.client.load_consumer("none")', 'nil,not found'],
  ['kong.client.load_consumer("5e8f1c1a-0000-4000-8000-000000000001").username', 'ann'],
  ['(pcall(kong.client.authenticate))', 'false'],
  [
    'kong.version, kong.version_num, kong.nginx.get_subsystem(), kong.ip.is_trusted("1.2.3.4")',
    '3.9.1,3009001,http,false',
  ],
  [
    'kong.router.get_service().name, type(kong.node.get_id()), type(kong.node.get_hostname())',
    's,string,string',
  ],
  [
    '(function() local t = kong.table.new(1, 2) t.a, t[1], t[2] = 1, 2, 3 kong.table.clear(t) return next(t), #t end)()',
    'nil,0',
  ],
  [
    '(function() kong.ctx.plugin.a = 1 kong.ctx.shared.b = 2 ngx.ctx.c = 3 return kong.ctx.plugin.a, kong.ctx.shared.c, ngx.ctx.b, kong.ctx.other end)()',
    '1,3,2,nil',
  ],
  ['kong.log.serialize().request.method, kong.log.serialize().service.name', 'GET,s'],
  [
    '(function() kong.log.set_serialize_value("mine", 7) return kong.log.serialize().mine end)()',
    '7',
  ],
  ['kong.response.get_status(), kong.response.get_header("x")', '200,nil'],
  [
    '(pcall(kong.response.get_source)), (pcall(kong.response.set_status, 200)), (pcall(kong.response.get_raw_body))',
    'false,false,false',
  ],
  ['kong.service.response.get_status(), kong.service.response.get_header("x")', 'nil,nil'],
  ['kong.service.set_upstream("u")', 'true'],
];

/** What a statement of the access phase makes of the request to the upstream. */
const statements: readonly (readonly [statement: string, seen: object])[] = [
  ['kong.service.request.set_raw_query("a=b c")', { url: '/a%20b?a=b%20c' }],
  ['kong.service.request.set_query({z = 1, a = "x&y"})', { url: '/a%20b?a=x%26y&z=1' }],
  ['kong.service.request.set_method("patch")', { method: 'PATCH' }],
  ['ngx.req.set_uri_args({k = "v"})', { url: '/a%20b?k=v' }],
  ['ngx.req.set_uri_args("k=w")', { url: '/a%20b?k=w' }],
  ['ngx.var.upstream_uri = "/x y?z=1"', { url: '/x%20y?z=1' }],
  ['ngx.var.upstream_uri = "/plain"', { url: '/plain?q=1&flag&m=1&m=2' }],
  ['ngx.var.args = "only=1"', { url: '/a%20b?only=1' }],
  ['ngx.var.upstream_host = "other.test"', { headers: { host: 'other.test' } }],
  ['ngx.req.set_header("x-n", 5)', { headers: { 'x-n': '5' } }],
  ['ngx.req.set_header("x-n", {"a", "b"})', { headers: { 'x-n': 'a, b' } }],
  ['kong.service.request.set_raw_body("raw")', { body: 'raw' }],
  [
    'kong.service.request.set_body({a = "1 2"})',
    { body: 'a=1%202', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  ],
  ['kong.service.set_retries(1) kong.service.set_timeouts(1000, 2000, 3000)', { method: 'GET' }],
];

/** What fails ends the request with 500, before the upstream is asked. */
const failing = [
  'kong.service.request.set_scheme("ftp")',
  'kong.service.request.set_path("x")',
  'kong.service.request.set_method("a b")',
  'kong.service.request.set_header("a b", "c")',
  'kong.service.request.set_header("a", nil)',
  'kong.service.request.set_headers(5)',
  'kong.response.exit(99)',
  'kong.response.exit(600)',
  'kong.response.exit(200.5)',
  'ngx.nothing = 1',
  'kong.nothing = 1',
];

const answers: readonly (readonly [statement: string, status: number, body: string])[] = [
  ['ngx.say("a", 1, true) ngx.print("b") ngx.exit(202)', 202, 'a1true\nb'],
  ['ngx.exit(ngx.OK)', 200, 'b'],
  ['ngx.redirect("https://x.test/")', 302, ''],
  ['ngx.redirect("https://x.test/", 301)', 301, ''],
  ['kong.response.exit(404)', 404, ''],
  ['kong.response.exit(203, "text")', 203, 'text'],
  ['kong.response.exit(200, {a = {1, 2}, b = ngx.null})', 200, '{"a":[1,2],"b":null}'],
];

const programs = [
  ...expressions.map(([expression]) => `return kong.response.exit(200, join(${expression}))`),
  ...statements.map(([statement]) => statement),
  ...failing,
  ...answers.map(([statement]) => statement),
];
const join =
  'local function join(...) local o = {} for i = 1, select("#", ...) do o[i] = tostring((select(i, ...))) end return table.concat(o, ",") end ';
const gateway = new PluginGateway();

beforeAll(async () => {
  const port = await gateway.backend('b');
  const routes = programs.map((program, at) => ({
    paths: [`/row-${at}-`],
    plugins: [{ name: 'pre-function', config: { access: [join + program] } }],
  }));
  const services = [{ name: 's', host: '127.0.0.1', port, routes }];
  const consumers = [{ username: 'ann', id: '5e8f1c1a-0000-4000-8000-000000000001' }];
  const log = { warn: () => undefined, error: () => undefined };
  await gateway.start(port, [], { services, consumers }, { now: () => now, log });
});

afterAll(() => gateway.stop());

/** Asks the route of a program, which stands at this place among them. */
async function ask(program: string) {
  gateway.received.length = 0;
  const path = `/row-${programs.indexOf(program)}-/a%20b?q=1&flag&m=1&m=2`;
  const answer = await gateway.ask({ path, headers: { 'x-a': 'v', cookie: 'c=yes' } });
  return { ...answer, upstream: gateway.received[0] };
}

describe('what functions see', () => {
  test.each(expressions)('%s', async (expression, value) => {
    const answer = await ask(`return kong.response.exit(200, join(${expression}))`);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: value });
  });
});

describe('what functions do', () => {
  test.each(statements)('%s', async (statement, seen) => {
    const { upstream } = await ask(statement);
    expect(upstream).toMatchObject({ url: '/a%20b?q=1&flag&m=1&m=2', ...seen });
  });

  test.each(failing)('%s fails', async (statement) => {
    const { status, upstream } = await ask(statement);
    expect({ status, upstream }).toEqual({ status: 500, upstream: undefined });
  });

  test.each(answers)('%s answers %i', async (statement, status, body) => {
    const answer = await ask(statement);
    expect({ status: answer.status, body: answer.body }).toEqual({ status, body });
  });
});
