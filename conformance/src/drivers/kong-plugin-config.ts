/**
 * The configuration behind the recorded plugin requests. It is not part of the recording; each host of
 * the requests names the plugin that it was about, and the answers show how that was set.
 */
export function pluginConfig(backendPort: number): object {
  const anonymous = '00000099-0000-4000-8000-000000000000';
  const route = (name: string, plugins: readonly object[], more: object = {}) => ({
    name,
    hosts: [`${name}.test`],
    plugins,
    ...more,
  });
  const keyAuth = { name: 'key-auth' };
  const plugin = (name: string, config: object = {}) => ({ name, config });
  return {
    _format_version: '3.0',
    services: [
      {
        name: 'bk',
        host: '127.0.0.1',
        port: backendPort,
        routes: [
          route('prom', [plugin('prometheus', { per_consumer: true, status_code_metrics: true })]),
          route('key', [keyAuth]),
          route('keyhide', [
            plugin('key-auth', { key_names: ['apikey', 'x-k'], hide_credentials: true }),
          ]),
          route('keyanon', [plugin('key-auth', { anonymous })]),
          route('basic', [plugin('basic-auth')]),
          route('jwt', [plugin('jwt', { claims_to_verify: ['exp'] })]),
          route('hmac', [plugin('hmac-auth')]),
          route('acl', [keyAuth, plugin('acl', { allow: ['admins'] })]),
          route('acldeny', [keyAuth, plugin('acl', { deny: ['admins'] })]),
          route('rl', [plugin('rate-limiting', { minute: 2, policy: 'local' })]),
          route('rlhour', [
            plugin('rate-limiting', {
              hour: 3,
              policy: 'local',
              hide_client_headers: true,
              error_code: 420,
              error_message: 'slow down',
            }),
          ]),
          route('rlconsumer', [
            keyAuth,
            plugin('rate-limiting', { minute: 2, policy: 'local', limit_by: 'consumer' }),
          ]),
          route('ipallow', [plugin('ip-restriction', { allow: ['127.0.0.1'] })]),
          route('ipdeny', [plugin('ip-restriction', { deny: ['127.0.0.0/8'] })]),
          route('ipallowother', [
            plugin('ip-restriction', { allow: ['10.0.0.0/8'], status: 401, message: 'no' }),
          ]),
          route('term', [plugin('request-termination', { message: 'bye' })]),
          route('termbody', [
            plugin('request-termination', {
              status_code: 200,
              body: '<p>x</p>',
              content_type: 'text/html; charset=UTF-8',
            }),
          ]),
          route('termecho', [plugin('request-termination', { echo: true, trigger: 'x-stop' })]),
          route('size', [
            plugin('request-size-limiting', { allowed_payload_size: 1, size_unit: 'kilobytes' }),
          ]),
          route('sizereq', [plugin('request-size-limiting', { require_content_length: true })]),
          route('cors', [
            plugin('cors', {
              origins: ['http://a.test', 'https://b.test'],
              methods: ['GET', 'POST'],
              headers: ['x-a'],
              exposed_headers: ['x-e'],
              credentials: true,
              max_age: 60,
            }),
          ]),
          route('corsstar', [plugin('cors')]),
          route('corsregex', [plugin('cors', { origins: ['https://.*\\.r\\.test$'] })]),
          route('bot', [plugin('bot-detection', { allow: ['goodbot'], deny: ['badbot'] })]),
          route('corr', [
            plugin('correlation-id', {
              header_name: 'X-Cid',
              generator: 'uuid#counter',
              echo_downstream: true,
            }),
          ]),
          route('reqt', [
            plugin('request-transformer', {
              remove: { headers: ['x-rm'], querystring: ['drop'] },
              rename: { headers: ['x-old:x-renamed'] },
              replace: { headers: ['x-rep:new'], uri: '/replaced' },
              add: { headers: ['x-new:1', 'x-exist:no'], querystring: ['q:2'] },
              append: { headers: ['x-app:2'] },
            }),
          ]),
          route(
            'reqtcap',
            [
              plugin('request-transformer', {
                replace: { uri: '/to/$(uri_captures.id)' },
                add: { headers: ['x-h:$(headers.host)', 'x-cap:$(uri_captures.id)'] },
              }),
            ],
            { paths: ['~/cap/(?<id>\\d+)'] },
          ),
          route('rest', [
            plugin('response-transformer', {
              remove: { json: ['headers'] },
              replace: { json: ['method:REPLACED'] },
              add: { headers: ['x-added:1'] },
              append: { headers: ['x-added:2'] },
            }),
          ]),
          route('cache', [
            plugin('proxy-cache', { strategy: 'memory', content_type: ['application/json'] }),
          ]),
          route('redir', [plugin('redirect', { location: 'https://r.test/base' })]),
          route('redirkeep', [
            plugin('redirect', {
              location: 'https://r.test/base',
              status_code: 308,
              keep_incoming_path: true,
            }),
          ]),
          route('session', [plugin('session'), plugin('key-auth', { anonymous })]),
          route('pre', [
            plugin('pre-function', { access: ["kong.service.request.set_header('x-pre', '1')"] }),
          ]),
          route('rrl', [
            plugin('response-ratelimiting', { limits: { video: { minute: 2 } }, policy: 'local' }),
          ]),
          route('grpcw', [plugin('grpc-web')]),
          route('oauth2', [
            plugin('oauth2', { enable_client_credentials: true, provision_key: 'p' }),
          ]),
        ],
      },
    ],
    consumers: [
      {
        username: 'alice',
        custom_id: 'a-1',
        keyauth_credentials: [{ key: 'ka' }],
        basicauth_credentials: [{ username: 'au', password: 'ap' }],
        jwt_secrets: [{ key: 'jk', secret: 'js' }],
        hmacauth_credentials: [{ username: 'hu', secret: 'hs' }],
        acls: [{ group: 'admins' }],
      },
      { username: 'bob', keyauth_credentials: [{ key: 'kb' }] },
      { id: anonymous, username: 'anon' },
    ],
  };
}
