import { randomUUID } from 'node:crypto';

/** Where a worker process finds the id of the node that it belongs to. */
export const nodeIdVariable = 'WAYGATE_GATEWAY_NODE_ID';

/** Who this node is to clients of the Admin API: new at each start, the same in all its processes. */
export const nodeId = process.env[nodeIdVariable] ?? randomUUID();
