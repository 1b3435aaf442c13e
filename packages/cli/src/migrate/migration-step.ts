import type { DynamicObject, ObjectReference } from '@waygate/schema';

/** One change that a migration makes, and all that it takes to take it back. It is data: it is kept. */
export type MigrationStep =
  /** Sets annotations; `before` has what they were. */
  | {
      readonly kind: 'annotate';
      readonly id: string;
      readonly why: string;
      readonly object: ObjectReference;
      readonly annotations: Readonly<Record<string, string>>;
      readonly before: Readonly<Record<string, string | null>>;
    }
  /** Sets how many Pods a Deployment has, and waits until it has them. */
  | {
      readonly kind: 'scale';
      readonly id: string;
      readonly why: string;
      readonly object: ObjectReference;
      readonly replicas: number;
      readonly before: number;
    }
  /** Waits until nobody holds a Lease any more. */
  | {
      readonly kind: 'released';
      readonly id: string;
      readonly why: string;
      readonly object: ObjectReference;
    }
  /** Deletes an object that can be made again as it was. */
  | {
      readonly kind: 'delete';
      readonly id: string;
      readonly why: string;
      readonly object: ObjectReference;
      readonly before: DynamicObject;
    };

/** `Deployment flux-system/source-controller` */
export function objectText({ kind, namespace, name }: ObjectReference): string {
  return namespace === undefined || namespace === ''
    ? `${kind} ${name}`
    : `${kind} ${namespace}/${name}`;
}

/** What a step does, in one line. */
export function stepText(step: MigrationStep): string {
  const object = objectText(step.object);
  switch (step.kind) {
    case 'annotate': {
      const said = Object.entries(step.annotations).map(([name, value]) => `${name}=${value}`);
      return `annotate ${object} with ${said.join(', ')}`;
    }
    case 'scale':
      return `scale ${object} from ${step.before} to ${step.replicas}`;
    case 'released':
      return `wait until nobody holds ${object}`;
    case 'delete':
      return `delete ${object} (it is kept, and comes back with --rollback)`;
  }
}

/** What taking it back does; undefined when there is nothing to take back. */
export function undoText(step: MigrationStep): string | undefined {
  const object = objectText(step.object);
  switch (step.kind) {
    case 'annotate':
      return `give ${object} its annotations back`;
    case 'scale':
      return `scale ${object} to ${step.before}`;
    case 'released':
      return undefined;
    case 'delete':
      return `make ${object} again`;
  }
}
