import { type HttpResponse, isObject } from '@waygate/text';
import { GitOpsError } from '../gitops-error.ts';
import { readBody, shownUrl } from '../http/outgoing-client.ts';

/** A registry answered, and not with what it was asked for. */
export class RegistryError extends GitOpsError {
  readonly status: number;

  constructor(message: string, status: number) {
    super('WG_GITOPS_HTTP', message);
    this.status = status;
  }
}

/** What a registry says it is that went wrong: `GET https://…: MANIFEST_UNKNOWN: manifest unknown`. */
export async function registryError(
  method: string,
  url: URL,
  response: HttpResponse,
): Promise<RegistryError> {
  const asked = `${method} ${shownUrl(url)}`;
  const body = (await readBody(response, 65_536, 'the answer').catch(() => '')).toString();
  const said = diagnosticsIn(body) || unexpected(response);
  return new RegistryError(`${asked}: ${said}`, response.statusCode);
}

function unexpected({ statusCode, statusMessage }: HttpResponse): string {
  return `unexpected status code ${statusCode} ${statusMessage}`.trim();
}

function diagnosticsIn(body: string): string {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return '';
  }
  if (!isObject(value) || !Array.isArray(value.errors)) return '';
  return value.errors
    .slice(0, 10)
    .filter(isObject)
    .map(({ code, message, detail }) => {
      const shown = detail === undefined || detail === null ? '' : `; ${shownDetail(detail)}`;
      return `${String(code)}: ${String(message ?? '')}${shown}`.slice(0, 1000);
    })
    .join('; ');
}

/** As Go prints a value, which is what people search for. */
function shownDetail(value: unknown, depth = 0): string {
  if (depth > 4) return '…';
  if (Array.isArray(value)) return `[${value.map((one) => shownDetail(one, depth + 1)).join(' ')}]`;
  if (!isObject(value)) return String(value);
  const parts = Object.keys(value)
    .sort()
    .map((key) => `${key}:${shownDetail(value[key], depth + 1)}`);
  return `map[${parts.join(' ')}]`;
}
