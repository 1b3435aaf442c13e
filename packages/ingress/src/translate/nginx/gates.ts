import { type AnnotationReader, knownRows } from './annotation-reader.ts';
import { risks } from './annotation-table.ts';
import type { NginxSettings } from './settings.ts';

/** Why the operator's settings do not let an Ingress through; undefined when they do. */
export function gateOf(read: AnnotationReader, settings: NginxSettings): string | undefined {
  const highest = risks.indexOf(settings.risk);
  for (const { name, risk } of knownRows(read)) {
    if (risks.indexOf(risk) > highest)
      return `annotation ${name} is of risk ${risk}, and annotations-risk-level is ${settings.risk}`;
  }
  const words = settings.list('annotation-value-word-blocklist');
  for (const name of read.names()) {
    const word = words.find((one) => read.raw(name)?.includes(one));
    if (word !== undefined)
      return `annotation ${name} contains ${JSON.stringify(word)}, which is on the blocklist`;
  }
  return undefined;
}
