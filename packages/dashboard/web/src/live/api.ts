import type { DashboardRefusal } from '../../../src/protocol/requests.ts';

/** What the server did not do, in its own words; `status` 0: it could not be reached. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly refusal: DashboardRefusal['error'];

  constructor(status: number, refusal: DashboardRefusal['error'], cause?: unknown) {
    super(refusal.message, { cause });
    this.status = status;
    this.refusal = refusal;
  }
}

/** Talks to the server that the page came from. */
export class Api {
  /** Known once signed in; every POST carries it. */
  csrfToken = '';
  /** Called at every answer of 401: somebody has to sign in. */
  onSignedOut: (refusal: DashboardRefusal) => void = () => {};
  readonly #fetch: typeof fetch;

  constructor(fetchOf: typeof fetch = (...args) => fetch(...args)) {
    this.#fetch = fetchOf;
  }

  async get<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
    const response = await this.open(path, signal ? { signal } : {});
    return (await response.json()) as Answer;
  }

  async post<Answer>(path: string, body: unknown, signal?: AbortSignal): Promise<Answer> {
    const response = await this.open(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-waygate-csrf': this.csrfToken },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
    const text = await response.text();
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }

  /** The answer, whose body is yet to be read, or an `ApiFailure`. */
  async open(path: string, init: RequestInit): Promise<Response> {
    let response: Response;
    try {
      response = await this.#fetch(`/api/${path}`, init);
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new ApiFailure(
        0,
        { code: 'unreachable', message: 'The server cannot be reached.' },
        error,
      );
    }
    if (response.ok) return response;
    const refusal = await refusalOf(response);
    if (response.status === 401) this.onSignedOut(refusal);
    throw new ApiFailure(response.status, refusal.error);
  }
}

/** A proxy in between may answer with a page of its own. */
async function refusalOf(response: Response): Promise<DashboardRefusal> {
  const error = {
    code: `http-${response.status}`,
    message: `The server answered ${response.status} ${response.statusText}`.trim(),
  };
  try {
    const body = (await response.json()) as Partial<DashboardRefusal>;
    return { ...body, error: { ...error, ...body.error } };
  } catch {
    return { error };
  }
}
