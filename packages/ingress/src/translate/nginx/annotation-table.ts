/** How much harm an annotation can do; a ConfigMap says up to which risk they are taken. */
export const risks = ['Low', 'Medium', 'High', 'Critical'] as const;
export type Risk = (typeof risks)[number];

/**
 * What a value that is not valid does. `drop`: the whole Ingress is left out, its last good version
 * stays. `deny`: its paths answer 503. `default`: as if the annotation were not there.
 */
type InvalidValue = 'drop' | 'deny' | 'default';

/** How much of an annotation is done here. */
export type Support = 'yes' | 'partly' | 'no effect' | 'reported';

type Check = 'bool' | 'int' | RegExp | readonly string[];

/** One annotation, without its prefix. */
export interface AnnotationRow {
  readonly name: string;
  readonly risk: Risk;
  readonly check: Check | undefined;
  readonly invalid: InvalidValue;
  readonly support: Support;
  /** What is done otherwise, or not at all. */
  readonly note: string;
  /** An older name, which counts when this one is not set. */
  readonly alias?: string;
}

// The characters that ingress-nginx lets through, in classes that contain each other.
const alnum = '\\-._~a-zA-Z0-9/:';
const url = `${alnum},?&=`;
const regex = '\\^$\\[\\](){}*+?|&=\\\\';
const basicChars = new RegExp(`^[${alnum}]*$`);
const pathWithCapture = /^\/?[-._~a-zA-Z0-9/:$]*$/;
const urlChars = new RegExp(`^[${url}]*$`);
const urlWithVariables = new RegExp(`^[${url}${regex}+, ]*$`);
const serverName = new RegExp(`^[${alnum}${regex}]*$`);
const serverNames = new RegExp(`^[${alnum}${regex}, ]*$`);
const regexChars = new RegExp(`^[${alnum}${regex}]*$`);
const variables = /^[A-Za-z0-9\-_${}]*$/;
const headerList = /^[A-Za-z0-9\-_, ]*$/;
/** As `([A-Za-z]+,?\s?)+`, which would go back over what it read. */
const methodList = /^[A-Za-z]+(?:(?:,\s?|\s)[A-Za-z]+)*(?:,\s?|\s)?$/;
const exposedList = /^[A-Za-z0-9\-_*]+(?:(?:,\s?|\s)[A-Za-z0-9\-_*]+)*(?:,\s?|\s)?$/;
const size = /^\d+[bkmg]?$/i;
const ranges = /^[0-9a-fA-F.:/, \t\r\n]*$/;
const resource = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?(\/[a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$/;
const onOff = ['on', 'off'];

type Row = readonly [
  name: string,
  risk: Risk,
  check: Check | undefined,
  invalid: InvalidValue,
  support?: Support,
  note?: string,
  alias?: string,
];

const rows: readonly Row[] = [
  // Paths, rewrites, redirects
  ['rewrite-target', 'Medium', pathWithCapture, 'default'],
  [
    'use-regex',
    'Low',
    'bool',
    'default',
    'partly',
    'patterns without look-around and back-references',
  ],
  ['app-root', 'Medium', pathWithCapture, 'default'],
  ['preserve-trailing-slash', 'Medium', 'bool', 'default'],
  ['x-forwarded-prefix', 'Medium', pathWithCapture, 'drop'],
  ['ssl-redirect', 'Low', 'bool', 'default'],
  ['force-ssl-redirect', 'Medium', 'bool', 'default'],
  ['permanent-redirect', 'Medium', urlChars, 'drop'],
  ['permanent-redirect-code', 'Low', 'int', 'drop'],
  ['temporal-redirect', 'Medium', urlChars, 'drop'],
  ['temporal-redirect-code', 'Low', 'int', 'drop'],
  ['relative-redirects', 'Low', 'bool', 'drop'],
  ['use-port-in-redirects', 'Low', 'bool', 'default'],
  ['from-to-www-redirect', 'Low', 'bool', 'drop'],
  ['server-alias', 'High', serverNames, 'drop'],
  ['proxy-redirect-from', 'Medium', urlChars, 'default'],
  ['proxy-redirect-to', 'Medium', urlChars, 'default'],
  // Backend, proxying
  ['backend-protocol', 'Low', /^(auto_http|https?|grpcs?|fcgi)$/i, 'default'],
  ['proxy-connect-timeout', 'Low', 'int', 'default'],
  ['proxy-read-timeout', 'Low', 'int', 'default'],
  ['proxy-send-timeout', 'Low', 'int', 'default'],
  ['proxy-body-size', 'Medium', size, 'default'],
  ['client-body-buffer-size', 'Low', size, 'drop', 'no effect', 'bodies stream'],
  ['proxy-request-buffering', 'Low', onOff, 'default'],
  ['proxy-buffering', 'Low', onOff, 'default'],
  ['proxy-buffer-size', 'Low', size, 'default'],
  ['proxy-buffers-number', 'Low', 'int', 'default', 'no effect', 'answers stream'],
  ['proxy-busy-buffers-size', 'Low', size, 'default', 'no effect', 'answers stream'],
  ['proxy-max-temp-file-size', 'Low', size, 'default', 'no effect', 'nothing is written to disk'],
  ['proxy-http-version', 'Low', ['1.0', '1.1'], 'default', 'partly', 'always HTTP/1.1'],
  ['proxy-cookie-domain', 'Medium', /^(off|[-.~_a-zA-Z0-9/:]+ [-.~_a-zA-Z0-9/:]+)$/, 'default'],
  ['proxy-cookie-path', 'Medium', new RegExp(`^[${url} ]*$`), 'default'],
  [
    'proxy-next-upstream',
    'Medium',
    /^((error|timeout|invalid_header|http_500|http_502|http_503|http_504|http_403|http_404|http_429|non_idempotent|off) ?)+$/,
    'default',
  ],
  ['proxy-next-upstream-timeout', 'Low', 'int', 'default'],
  ['proxy-next-upstream-tries', 'Low', 'int', 'default'],
  ['connection-proxy-header', 'Low', ['close', 'keep-alive'], 'drop'],
  ['upstream-vhost', 'Low', serverName, 'drop'],
  ['service-upstream', 'Low', 'bool', 'default'],
  [
    'load-balance',
    'Low',
    ['round_robin', 'chash', 'chashsubset', 'sticky_balanced', 'sticky_persistent', 'ewma'],
    'drop',
    'partly',
    'ewma balances by latency',
  ],
  ['upstream-hash-by', 'High', variables, 'drop'],
  ['upstream-hash-by-subset', 'Low', 'bool', 'drop'],
  ['upstream-hash-by-subset-size', 'Low', 'int', 'drop'],
  ['custom-headers', 'Medium', resource, 'deny'],
  ['proxy-ssl-secret', 'Medium', resource, 'deny'],
  ['proxy-ssl-verify', 'Low', onOff, 'default'],
  ['proxy-ssl-verify-depth', 'Low', 'int', 'default'],
  ['proxy-ssl-name', 'High', serverName, 'default'],
  ['proxy-ssl-server-name', 'Low', onOff, 'default'],
  [
    'proxy-ssl-protocols',
    'Low',
    /^(( ?TLSv1\.[0-3])+|( ?SSLv[23])+)$/,
    'default',
    'no effect',
    'TLS 1.2 and 1.3',
  ],
  [
    'proxy-ssl-ciphers',
    'Medium',
    /^[A-Za-z0-9+:_\-!]*$/,
    'default',
    'reported',
    'ciphers of the gateway',
  ],
  ['fastcgi-index', 'Medium', /^[A-Za-z0-9.\-_]+$/, 'drop'],
  ['fastcgi-params-configmap', 'Medium', resource, 'drop'],
  // Authentication and access
  ['auth-type', 'Low', /(basic|digest)/, 'drop'],
  ['auth-secret', 'Medium', resource, 'deny'],
  ['auth-secret-type', 'Low', ['auth-file', 'auth-map'], 'drop'],
  ['auth-realm', 'Medium', /^[/\-._~a-zA-Z0-9/: ]*$/, 'drop'],
  ['auth-url', 'High', urlWithVariables, 'drop'],
  ['auth-method', 'Low', /^(GET|HEAD|POST|PUT|PATCH|DELETE|CONNECT|OPTIONS|TRACE)$/, 'deny'],
  ['auth-signin', 'High', urlWithVariables, 'default'],
  ['auth-signin-redirect-param', 'Medium', urlChars, 'default'],
  ['auth-response-headers', 'Medium', headerList, 'deny'],
  [
    'auth-request-redirect',
    'Medium',
    urlWithVariables,
    'deny',
    'yes',
    'a value that is not valid closes the paths; the original opens them',
  ],
  ['auth-proxy-set-headers', 'Medium', resource, 'deny'],
  ['auth-snippet', 'Critical', undefined, 'drop', 'reported', 'see snippets'],
  ['auth-cache-key', 'Medium', variables, 'default'],
  [
    'auth-cache-duration',
    'Medium',
    /^[A-Za-z0-9 ,]*$/,
    'deny',
    'yes',
    'a value that is not valid closes the paths; the original opens them',
  ],
  [
    'auth-always-set-cookie',
    'Low',
    'bool',
    'deny',
    'yes',
    'a value that is not valid closes the paths; the original opens them',
  ],
  ['auth-keepalive', 'Low', 'int', 'default', 'no effect', 'connections are kept'],
  ['auth-keepalive-share-vars', 'Low', 'bool', 'default', 'no effect', 'connections are kept'],
  ['auth-keepalive-requests', 'Low', 'int', 'default', 'no effect', 'connections are kept'],
  ['auth-keepalive-timeout', 'Low', 'int', 'default', 'no effect', 'connections are kept'],
  ['enable-global-auth', 'Low', 'bool', 'default'],
  ['satisfy', 'Low', ['any', 'all'], 'default'],
  ['auth-tls-secret', 'Medium', resource, 'deny'],
  ['auth-tls-verify-client', 'Medium', ['on', 'off', 'optional', 'optional_no_ca'], 'default'],
  ['auth-tls-verify-depth', 'Low', 'int', 'default'],
  ['auth-tls-error-page', 'High', new RegExp(`^[${url}@]*$`), 'drop'],
  ['auth-tls-pass-certificate-to-upstream', 'Low', 'bool', 'drop'],
  ['auth-tls-match-cn', 'High', /^CN=[/\-.\\_~a-zA-Z0-9/:^$[\](){}*+?|&=, ]*$/, 'drop'],
  ['allowlist-source-range', 'Medium', ranges, 'deny', 'yes', '', 'whitelist-source-range'],
  ['denylist-source-range', 'Medium', ranges, 'deny'],
  ['limit-connections', 'Low', 'int', 'drop'],
  ['limit-rps', 'Low', 'int', 'drop'],
  ['limit-rpm', 'Low', 'int', 'drop'],
  ['limit-burst-multiplier', 'Low', 'int', 'default'],
  ['limit-rate', 'Low', 'int', 'default'],
  ['limit-rate-after', 'Low', 'int', 'default'],
  ['limit-allowlist', 'Low', ranges, 'drop', 'yes', '', 'limit-whitelist'],
  // CORS
  ['enable-cors', 'Low', 'bool', 'default'],
  ['cors-allow-origin', 'Medium', undefined, 'default'],
  ['cors-allow-methods', 'Medium', methodList, 'default'],
  ['cors-allow-headers', 'Medium', headerList, 'default'],
  ['cors-expose-headers', 'Medium', exposedList, 'default'],
  ['cors-allow-credentials', 'Low', 'bool', 'default'],
  ['cors-max-age', 'Low', 'int', 'default'],
  // Affinity, canary, mirror
  ['affinity', 'Low', ['cookie'], 'default'],
  ['affinity-mode', 'Medium', ['balanced', 'persistent'], 'default'],
  ['affinity-canary-behavior', 'Low', ['sticky', 'legacy'], 'default'],
  ['session-cookie-name', 'Medium', basicChars, 'default'],
  ['session-cookie-path', 'Medium', urlChars, 'default'],
  ['session-cookie-domain', 'Medium', basicChars, 'default'],
  ['session-cookie-expires', 'Medium', /^(0|-?[1-9]\d*)$/, 'default'],
  ['session-cookie-max-age', 'Medium', /^(0|-?[1-9]\d*)$/, 'default'],
  ['session-cookie-samesite', 'Low', /^(none|lax|strict)$/i, 'default'],
  ['session-cookie-conditional-samesite-none', 'Low', 'bool', 'default'],
  ['session-cookie-secure', 'Low', 'bool', 'default'],
  ['session-cookie-change-on-failure', 'Low', 'bool', 'default'],
  ['canary', 'Low', 'bool', 'default'],
  ['canary-weight', 'Low', 'int', 'default'],
  ['canary-weight-total', 'Low', 'int', 'default'],
  ['canary-by-header', 'Medium', basicChars, 'default'],
  ['canary-by-header-value', 'Medium', basicChars, 'default'],
  ['canary-by-header-pattern', 'Medium', regexChars, 'default'],
  ['canary-by-cookie', 'Medium', basicChars, 'default'],
  ['mirror-target', 'High', serverName, 'default'],
  ['mirror-host', 'High', serverName, 'default'],
  ['mirror-request-body', 'Low', onOff, 'default'],
  // Errors, logs, snippets, others
  ['default-backend', 'Low', /^[a-z]([-a-z0-9]*[a-z0-9])?$/, 'drop'],
  ['custom-http-errors', 'Low', /^ *([45]\d{2} *(, *|$))*$/, 'drop'],
  ['disable-proxy-intercept-errors', 'Low', 'bool', 'default'],
  ['enable-access-log', 'Low', 'bool', 'default', 'no effect', 'the log is the gateway’s'],
  ['enable-rewrite-log', 'Low', 'bool', 'default', 'no effect', 'there is none'],
  ['http2-push-preload', 'Low', 'bool', 'drop', 'no effect', 'without effect in the original too'],
  ['ssl-passthrough', 'Low', 'bool', 'default'],
  [
    'ssl-ciphers',
    'Low',
    /^[A-Za-z0-9+:_\-!@=]*$/,
    'drop',
    'reported',
    'those of the ConfigMap count for all names: Node.js takes none by name',
  ],
  ['ssl-prefer-server-ciphers', 'Low', 'bool', 'default', 'no effect', 'the gateway’s'],
  ['configuration-snippet', 'Critical', undefined, 'drop', 'partly', 'see snippets'],
  ['server-snippet', 'Critical', undefined, 'drop', 'partly', 'see snippets'],
  ['stream-snippet', 'Critical', undefined, 'drop', 'reported', 'see snippets'],
  ['enable-modsecurity', 'Low', 'bool', 'default', 'reported', 'no web application firewall'],
  ['enable-owasp-core-rules', 'Low', 'bool', 'default', 'reported', 'no web application firewall'],
  ['modsecurity-snippet', 'Critical', undefined, 'drop', 'reported', 'no web application firewall'],
  [
    'modsecurity-transaction-id',
    'High',
    variables,
    'default',
    'reported',
    'no web application firewall',
  ],
  ['enable-opentelemetry', 'Low', 'bool', 'default', 'reported', 'use the plugin opentelemetry'],
  ['opentelemetry-trust-incoming-span', 'Low', 'bool', 'default', 'no effect', ''],
  ['opentelemetry-operation-name', 'Medium', /^[A-Za-z0-9_-]*$/, 'drop', 'no effect', ''],
];

/** Every annotation that ingress-nginx 1.15 reads; the table of the docs is made from it. */
export const annotationTable: readonly AnnotationRow[] = rows.map(
  ([name, risk, check, invalid, support = 'yes', note = '', alias]) => ({
    name,
    risk,
    check,
    invalid,
    support,
    note,
    ...(alias !== undefined && { alias }),
  }),
);

const byName = new Map(annotationTable.map((row) => [row.name, row]));
const byAlias = new Map(
  annotationTable.flatMap((row) => (row.alias === undefined ? [] : [[row.alias, row] as const])),
);

/** The row of an annotation, by its name or its older one. */
export function annotationRow(name: string): AnnotationRow | undefined {
  return byName.get(name) ?? byAlias.get(name);
}
