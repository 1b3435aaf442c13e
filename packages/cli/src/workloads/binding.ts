import type { ReadyCheck, RestartPolicy, StubAnswer } from '../processes/task.ts';

/** What stands in for a Service on this machine. */
export type Binding = {
  /** `name`, or `namespace/name` where several namespaces have one of the name. */
  readonly service: string;
  /** The ports of the Service that are served elsewhere than at the one port: by name or number. */
  readonly ports: Readonly<Record<string, number>>;
  /** Where `waygate.yaml` says it, for messages. */
  readonly place: string;
} & (
  | { readonly kind: 'attach'; readonly host: string; readonly port: number }
  | {
      readonly kind: 'start';
      readonly command: readonly string[];
      readonly directory: string;
      readonly env: Readonly<Record<string, string>>;
      readonly port: number;
      readonly ready: ReadyCheck;
      readonly restart: RestartPolicy;
    }
  | { readonly kind: 'stub'; readonly answer: StubAnswer }
);
