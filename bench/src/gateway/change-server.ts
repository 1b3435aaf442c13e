import { Gateway } from '@waygate/gateway';

// A gateway with a database in memory and as many routes as it is told, in a process of its own.
process.once('message', (count: number) => void serve(count));

async function serve(count: number): Promise<void> {
  const gateway = new Gateway({ mode: 'database' });
  const { admin } = await gateway.start();
  gateway.store.insert('services', { name: 's', host: 'h.test' });
  for (let index = 0; index < count; index += 1) {
    gateway.store.insert('routes', {
      name: `r${index}`,
      hosts: [`h${index}.test`],
      paths: [`/p${index}`],
      service: { name: 's' },
    });
  }
  process.send?.(admin?.port);
  process.once('disconnect', () => void gateway.stop());
}
