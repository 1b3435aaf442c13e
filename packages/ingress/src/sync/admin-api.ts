/** What syncing needs of an Admin API: the client of the room `kong` is one. */
export interface AdminApi {
  /** Where it is: the name of the gateway in metrics. */
  readonly url: string;
  send(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    options?: {
      readonly query?: Readonly<Record<string, string>>;
      readonly body?: unknown;
      readonly signal?: AbortSignal;
      readonly isGlobal?: boolean;
      /** Whether only success counts: the answer is then not parsed. */
      readonly ignoresAnswer?: boolean;
    },
  ): Promise<unknown>;
}

/** The status and body of an answer that said no; undefined when there was no answer. */
export function refusalOf(
  error: unknown,
): { readonly status: number; readonly body: unknown } | undefined {
  const { status, body } = (error ?? {}) as { status?: unknown; body?: unknown };
  return typeof status === 'number' ? { status, body } : undefined;
}
