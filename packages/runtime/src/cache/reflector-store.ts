/**
 * Where a reflector puts what it learns: a FIFO in front of an informer, or a store by itself.
 * A method that throws loses that one change; the reflector reports it and goes on.
 */
export interface ReflectorStore<T> {
  add(object: T): void;
  update(object: T): void;
  delete(object: T): void;
  /** A promise means: it takes its turns. Nothing else is handed over until it resolves. */
  replace(objects: readonly T[], resourceVersion: string): unknown;
  resync?(): void;
  /** The API promised that everything up to this version has been sent. */
  bookmark?(resourceVersion: string): void;
  /** A promise means: too much is waiting, go on when it resolves. The socket is then not read. */
  ready?(): Promise<void> | undefined;
}
