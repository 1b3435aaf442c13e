/** A body for an answer that Kong gives itself, in the form that the client asked for. */
export interface ErrorBody {
  readonly contentType: string;
  readonly text: string;
}

const messages: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Request timeout',
  411: 'Length required',
  412: 'Precondition failed',
  413: 'Payload too large',
  414: 'URI too long',
  417: 'Expectation failed',
  426: 'Upgrade required',
  494: 'Request header or cookie too large',
  500: 'An unexpected error occurred',
  502: 'An invalid response was received from the upstream server',
  503: 'The upstream server is currently unavailable',
  504: 'The upstream server is timing out',
};

/** Kong's words for a status that it answers by itself. */
export function errorMessage(status: number): string {
  return messages[status] ?? 'An unexpected error occurred';
}

/**
 * Writes an error as JSON, HTML, XML or text, by the client's `Accept`.
 *
 * @param fallback - the type for a client that names none: plugins answer JSON, nginx plain text
 */
export function errorBody(
  message: string,
  requestId: string,
  accept: string | undefined,
  fallback: 'json' | 'text' = 'json',
): ErrorBody {
  switch (acceptedType(accept, fallback)) {
    case 'html':
      return {
        contentType: 'text/html; charset=utf-8',
        text:
          '<!doctype html>\n<html>\n  <head>\n    <meta charset="utf-8">\n' +
          `    <title>Error</title>\n  </head>\n  <body>\n    <h1>Error</h1>\n    <p>${escapeMarkup(message)}.</p>\n` +
          `    <p>request_id: ${requestId}</p>\n  </body>\n</html>\n`,
      };
    case 'xml':
      return {
        contentType: 'application/xml; charset=utf-8',
        text:
          '<?xml version="1.0" encoding="UTF-8"?>\n<error>\n' +
          `  <message>${escapeMarkup(message)}</message>\n  <requestid>${requestId}</requestid>\n</error>\n`,
      };
    case 'text':
      return {
        contentType: 'text/plain; charset=utf-8',
        text: `${message}\nrequest_id: ${requestId}\n`,
      };
    case 'json':
      return {
        contentType: 'application/json; charset=utf-8',
        text: `{\n  "message":${JSON.stringify(message)},\n  "request_id":"${requestId}"\n}`,
      };
  }
}

type BodyType = 'json' | 'html' | 'xml' | 'text';

function acceptedType(accept: string | undefined, fallback: 'json' | 'text'): BodyType {
  if (accept === undefined) return fallback;
  const ranked = accept
    .split(',')
    .map((part, index) => {
      const [type = '', ...parameters] = part.split(';').map((item) => item.trim().toLowerCase());
      const quality = parameters.find((item) => item.startsWith('q='))?.slice(2);
      return { type, quality: quality === undefined ? 1 : Number(quality) || 0, index };
    })
    .sort((a, b) => b.quality - a.quality || a.index - b.index);
  for (const { type } of ranked) {
    if (type === 'application/json' || type === 'application/*' || type === '*/*') return 'json';
    if (type === 'text/html' || type === 'text/*') return 'html';
    if (type === 'text/plain') return 'text';
    if (type === 'application/xml' || type === 'text/xml') return 'xml';
  }
  return 'json';
}

function escapeMarkup(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  };
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
