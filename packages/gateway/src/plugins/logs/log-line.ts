import { logEntry } from '../../plugin/log-entry.ts';
import type { RequestContext } from '../../plugin/request-context.ts';

/** What every log plugin may be told of its entries. */
export interface LogFields {
  /** Fields that are put into each entry, or taken from it, by the functions that give their values. */
  readonly custom_fields_by_lua?: Readonly<Record<string, string>> | null;
}

/** The line that a log plugin writes down for a request: its entry as JSON. */
export function logLine(context: RequestContext, _fields: LogFields): string {
  return JSON.stringify(logEntry(context));
}
