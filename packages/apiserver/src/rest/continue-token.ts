import { describeSyntax } from '../decode/json-syntax.ts';
import { badRequest } from '../status/api-error.ts';

/** Where a page ended, and of which state of the collection it was a part. */
interface ContinueToken {
  /** -1: whatever is current. */
  readonly resourceVersion: number;
  /** The next page starts at the first key that is not before it, relative to the list. */
  readonly startKey: string;
}

const version = 'meta.k8s.io/v1';

export function encodeContinue(token: ContinueToken): string {
  const json = JSON.stringify({ v: version, rv: token.resourceVersion, start: token.startKey });
  return Buffer.from(json.replaceAll('\u0000', '\\u0000')).toString('base64url');
}

export function decodeContinue(text: string): ContinueToken {
  const plain = text.replaceAll('=', '');
  const wrong = plain.search(/[^A-Za-z0-9_-]/);
  const at = wrong >= 0 ? wrong : plain.length % 4 === 1 ? plain.length - 1 : -1;
  if (at >= 0) throw invalidToken(`illegal base64 data at input byte ${at}`);
  const bytes = Buffer.from(plain, 'base64url').toString('latin1');
  let json: { v?: unknown; rv?: unknown; start?: unknown };
  try {
    json = JSON.parse(bytes) as typeof json;
  } catch {
    throw invalidToken(describeSyntax(bytes));
  }
  if (json.v !== version) {
    throw invalidToken(`server does not recognize this encoded version ${String(json.v ?? '')}`);
  }
  if (json.rv === 0 || typeof json.rv !== 'number') {
    throw invalidToken(`incorrect encoded start resourceVersion (version ${version})`);
  }
  const start = typeof json.start === 'string' ? json.start : '';
  if (start === '') throw invalidToken(`encoded start key empty (version ${version})`);
  const segments = start.split('/');
  if (segments.includes('..') || segments.includes('.') || segments.slice(1).includes('')) {
    throw invalidToken(start);
  }
  return { resourceVersion: json.rv, startKey: start.replace(/^\//, '') };
}

function invalidToken(why: string) {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`);
}
