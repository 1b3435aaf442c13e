import { randomUUID } from 'node:crypto';

/** Who this process is to clients of the Admin API: new at each start. */
export const nodeId = randomUUID();
