import { Gateway } from '@waygate/gateway';

// A process of its own, so that what the server costs is not counted for its clients.
const gateway = new Gateway({ mode: 'database', proxy: [] });
const { admin } = await gateway.start();
process.send?.(`http://127.0.0.1:${admin?.port}`);
process.once('disconnect', () => void gateway.stop());
