import type { Stage, StageOptions } from './stage.ts';
import type { Story } from './story.ts';
import type { Trace } from './trace.ts';

/** The inputs of one recording: what its driver did, told anew. */
export interface Scenario {
  readonly options?: StageOptions;
  /** Plays it to its end. Gives back the facts that the recording calls `extra`. */
  play(stage: Stage, trace: Trace): Promise<unknown>;
  /** What the recording says where Waygate does something else on purpose, and why. */
  readonly differs?: {
    readonly why: string;
    /** The story of the recording as it is to be here. */
    adapt(story: Story): Story;
    /** Our story without what may or may not be in it, by chance. */
    forgive?(story: Story): Story;
  };
}

export function configMap(
  name: string,
  data: Readonly<Record<string, string>> = { k: '1' },
  metadata: Readonly<Record<string, unknown>> = {},
): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...metadata },
    data,
  });
}

export function deployment(name: string, label = 'a', metadata: object = {}): string {
  const labels = { app: label };
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, ...metadata },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'c', image: 'example.com/c:1' }] },
      },
    },
  });
}

export function service(name: string, port: number): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: 'a' }, ports: [{ port }] },
  });
}

/** A story with one object's part of it told otherwise. */
export function withObject(
  story: Story,
  key: string,
  change: (states: readonly string[]) => readonly string[],
): Story {
  return { ...story, objects: { ...story.objects, [key]: change(story.objects[key] ?? []) } };
}

export function withEvents(
  story: Story,
  key: string,
  change: (events: readonly string[]) => readonly string[],
): Story {
  return { ...story, events: { ...story.events, [key]: change(story.events[key] ?? []) } };
}

/** A story in which a text is another wherever it stands. */
export function withText(story: Story, from: string, to: string): Story {
  const [old, now] = [from, to].map((text) => JSON.stringify(text).slice(1, -1));
  return JSON.parse(JSON.stringify(story).replaceAll(old ?? '', now ?? '')) as Story;
}
