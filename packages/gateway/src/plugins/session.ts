import { randomUUID } from 'node:crypto';
import { findPluginSchema } from '@waygate/kong';
import { parseCookies } from '../http/cookies.ts';
import type { HeaderList } from '../http/header-list.ts';
import { authenticate } from '../plugin/authenticate.ts';
import { type AnyPlugin, definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { readBody } from '../proxy/request-body.ts';
import {
  type CookieAttributes,
  type Session,
  seal,
  setCookie,
  unseal,
} from './session/session-cookie.ts';
import { type SessionRequest, SessionStore } from './session/session-store.ts';

interface Config {
  readonly secret: string | null;
  readonly storage: 'cookie' | 'kong';
  readonly audience: string;
  readonly idling_timeout: number;
  readonly rolling_timeout: number;
  readonly absolute_timeout: number;
  readonly cookie_name: string;
  readonly cookie_path: string;
  readonly cookie_domain: string | null;
  readonly cookie_same_site: string;
  readonly cookie_http_only: boolean;
  readonly cookie_secure: boolean;
  readonly remember: boolean;
  readonly remember_cookie_name: string;
  readonly remember_rolling_timeout: number;
  readonly remember_absolute_timeout: number;
  readonly response_headers: readonly string[] | null;
  readonly request_headers: readonly string[] | null;
  readonly read_body_for_logout: boolean;
  readonly logout_methods: readonly string[] | null;
  readonly logout_query_arg: string | null;
  readonly logout_post_arg: string | null;
}

/** What the access phase found, for the header filter. */
interface Found {
  readonly session: Session | undefined;
  /** The session is over: the browser is to forget its cookies. */
  readonly isEnded?: boolean;
}

const shared = 'session';
/** A session that was seen so long ago is given out anew, with the time of now. */
const touchMs = 60_000;
/** One whose time of rolling is up to three quarters gone is given out anew. */
const rollingShare = 0.75;
const maximumBodyBytes = 1_024 * 1_024;

/**
 * What the schema fills in for `secret`. Kong makes one up each time it starts; the schema here has one
 * that everybody can read, so the node's own stands in for it.
 */
const publicSecret = findPluginSchema('session')
  ?.fields.get('config')
  ?.fields?.get('secret')?.default;

/** Remembers who was let in by another plugin, so that a browser need not prove it each time. */
export function session(): AnyPlugin {
  const store = new SessionStore();
  let nodeSecret: string | undefined;
  const hasOwn = ({ secret }: Config) => secret !== null && secret !== publicSecret;
  const withSecret = (config: Config): Config =>
    hasOwn(config) ? config : { ...config, secret: nodeSecret ?? null };
  return definePlugin<Config>({
    name: 'session',
    priority: 1_900,
    access(context, config) {
      if (hasOwn(config) || nodeSecret !== undefined) return begin(context, withSecret(config));
      return ask(context, { action: 'secret' }).then((secret) => {
        nodeSecret = secret as string;
        return begin(context, withSecret(config));
      });
    },
    headerFilter(context, config) {
      if (context.credential !== undefined || context.shared.has(shared)) {
        answer(context, withSecret(config));
      }
    },
    serve: (request) => store.handle(request as SessionRequest),
    open: (storage, now) => store.open(storage, now),
  });
}

function begin(context: RequestContext, config: Config): Promise<void> | undefined {
  const opened = openCookies(context, config);
  if (opened === undefined) return undefined;
  return config.storage === 'kong' || needsBody(context, config)
    ? continueLater(context, config, opened)
    : decide(context, config, opened, hasLogoutArgument(context, config));
}

async function continueLater(
  context: RequestContext,
  config: Config,
  opened: Session,
): Promise<void> {
  const now = context.runtime.now();
  const kept =
    config.storage === 'kong'
      ? ((await ask(context, { action: 'get', id: opened.id, now })) as Session | undefined)
      : opened;
  if (kept !== undefined && isCurrent(kept, config, now)) {
    const isLogout = hasLogoutArgument(context, config) || (await hasLogoutField(context, config));
    decide(context, config, kept, isLogout);
  }
}

function decide(
  context: RequestContext,
  config: Config,
  opened: Session,
  isLogout: boolean,
): undefined {
  const consumer = context.snapshot.consumers.consumer(opened.consumerId);
  if (isLogout || consumer === undefined) {
    context.shared.set(shared, { session: undefined, isEnded: true } satisfies Found);
    if (config.storage === 'kong') save(context, { action: 'delete', id: opened.id });
    if (isLogout) context.exit(200);
    return;
  }
  authenticate(context, consumer, { id: opened.credentialId, identifier: opened.credentialId });
  context.upstream?.headers.remove('X-Credential-Identifier');
  context.shared.set(shared, { session: opened } satisfies Found);
  const headers = context.upstream?.headers;
  if (headers !== undefined) {
    tell(headers, config.request_headers, opened, config, context.runtime.now());
  }
}

/** Sets cookies: for a new session, for one that is to live on, or for one that ended. */
function answer(context: RequestContext, config: Config): void {
  const found = context.shared.get(shared) as Found | undefined;
  const headers = context.response?.headers;
  if (headers === undefined) return;
  if (found?.isEnded === true && context.credential === undefined) {
    for (const attributes of cookiesOf(config)) {
      headers.add('Set-Cookie', setCookie({ ...attributes, maxAge: 0 }, ''));
    }
    return;
  }
  const { consumer, credential } = context;
  // Nobody is remembered who did not prove who they are.
  if (credential === undefined || consumer?.id === undefined) return;
  const now = context.runtime.now();
  const before = found?.session;
  const isSame = before?.consumerId === consumer.id && before.credentialId === credential.id;
  const current = isSame ? renewed(before, config, now) : undefined;
  if (current !== undefined && current === before) {
    tell(headers, config.response_headers, current, config, now);
    return;
  }
  const given: Session = current ?? {
    id: randomUUID(),
    audience: config.audience,
    consumerId: consumer.id,
    credentialId: credential.id,
    createdAt: now,
    rolledAt: now,
    touchedAt: now,
  };
  if (config.secret === null) return;
  if (config.storage === 'kong') {
    const expiresAt = now + longest(config) * 1_000;
    save(context, { action: 'put', session: given, expiresAt, now });
  }
  for (const attributes of cookiesOf(config)) {
    const sealed = seal(given, config.secret, attributes.name);
    headers.add('Set-Cookie', setCookie(attributes, sealed));
  }
  tell(headers, config.response_headers, given, config, now);
}

/** The session as it goes on: the same one, or one that is given out anew. */
function renewed(session: Session, config: Config, now: number): Session {
  const rolling = config.rolling_timeout * 1_000;
  if (rolling > 0 && now - session.rolledAt > rolling * rollingShare) {
    return { ...session, rolledAt: now, touchedAt: now };
  }
  return now - session.touchedAt > touchMs ? { ...session, touchedAt: now } : session;
}

/** The session that the cookies hold, if one of them is good. */
function openCookies(context: RequestContext, config: Config): Session | undefined {
  const cookies = parseCookies(context.headers.getAll('cookie').join('; '));
  const now = context.runtime.now();
  const read = (name: string): Session | undefined => {
    const token = cookies.get(name);
    const { secret } = config;
    const value = token === undefined || secret === null ? undefined : unseal(token, secret, name);
    const opened = value as Session | undefined;
    return opened?.audience === config.audience ? opened : undefined;
  };
  const own = read(config.cookie_name);
  if (own !== undefined && isCurrent(own, config, now)) return own;
  const remembered = config.remember ? read(config.remember_cookie_name) : undefined;
  if (remembered === undefined || !isRemembered(remembered, config, now)) return undefined;
  return { ...remembered, rolledAt: now, touchedAt: now - touchMs - 1 };
}

function isCurrent(session: Session, config: Config, now: number): boolean {
  const isWithin = (since: number, seconds: number) =>
    seconds <= 0 || now - since < seconds * 1_000;
  return (
    isWithin(session.touchedAt, config.idling_timeout) &&
    isWithin(session.rolledAt, config.rolling_timeout) &&
    isWithin(session.createdAt, config.absolute_timeout)
  );
}

function isRemembered(session: Session, config: Config, now: number): boolean {
  return (
    now - session.rolledAt < config.remember_rolling_timeout * 1_000 &&
    now - session.createdAt < config.remember_absolute_timeout * 1_000
  );
}

/** The longest that a session can live without being given out anew, in seconds. */
function longest(config: Config): number {
  const limits = [config.rolling_timeout, config.absolute_timeout].filter((limit) => limit > 0);
  const own = Math.min(...limits, 86_400 * 365);
  return config.remember ? Math.max(own, config.remember_rolling_timeout) : own;
}

function cookiesOf(config: Config): readonly CookieAttributes[] {
  const own: CookieAttributes = {
    name: config.cookie_name,
    path: config.cookie_path,
    domain: config.cookie_domain,
    sameSite: config.cookie_same_site,
    isSecure: config.cookie_secure,
    isHttpOnly: config.cookie_http_only,
  };
  return config.remember
    ? [own, { ...own, name: config.remember_cookie_name, maxAge: config.remember_rolling_timeout }]
    : [own];
}

function tell(
  headers: HeaderList,
  wanted: readonly string[] | null,
  session: Session,
  config: Config,
  now: number,
): void {
  const left = (since: number, seconds: number) =>
    String(Math.max(0, Math.ceil(seconds - (now - since) / 1_000)));
  const idling = left(session.touchedAt, config.idling_timeout);
  const rolling = left(session.rolledAt, config.rolling_timeout);
  const absolute = left(session.createdAt, config.absolute_timeout);
  const facts: Readonly<Record<string, readonly [string, string]>> = {
    id: ['Session-Id', session.id],
    audience: ['Session-Audience', session.audience],
    subject: ['Session-Subject', session.consumerId],
    timeout: [
      'Session-Timeout',
      String(Math.min(Number(idling), Number(rolling), Number(absolute))),
    ],
    'idling-timeout': ['Session-Idling-Timeout', idling],
    'rolling-timeout': ['Session-Rolling-Timeout', rolling],
    'absolute-timeout': ['Session-Absolute-Timeout', absolute],
  };
  for (const name of wanted ?? []) {
    const fact = facts[name];
    if (fact !== undefined) headers.set(...fact);
  }
}

function isLogoutMethod(context: RequestContext, config: Config): boolean {
  return config.logout_methods?.includes(context.method) === true;
}

function hasLogoutArgument(context: RequestContext, config: Config): boolean {
  const name = config.logout_query_arg ?? '';
  return isLogoutMethod(context, config) && name !== '' && context.arguments.has(name);
}

function needsBody(context: RequestContext, config: Config): boolean {
  return (
    config.read_body_for_logout &&
    isLogoutMethod(context, config) &&
    (config.logout_post_arg ?? '') !== '' &&
    context.hasBody
  );
}

async function hasLogoutField(context: RequestContext, config: Config): Promise<boolean> {
  if (!needsBody(context, config)) return false;
  const name = config.logout_post_arg ?? '';
  const body = (await readBody(context, maximumBodyBytes))?.toString('utf8') ?? '';
  if (context.headers.get('content-type')?.startsWith('application/json') !== true) {
    return new URLSearchParams(body).has(name);
  }
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  } catch {
    return false;
  }
}

async function ask(context: RequestContext, request: SessionRequest): Promise<unknown> {
  return context.runtime.ask('session', request);
}

/** The answer does not wait for it: the cookie alone says which session is meant. */
function save(context: RequestContext, request: SessionRequest): void {
  ask(context, request).catch((error: unknown) =>
    context.runtime.log.error('a session could not be kept', { error: String(error) }),
  );
}
