// The process that owns what was started. When the program that started it is gone, however it went, the
// channel between them closes, and everything is ended: nothing is left behind by a kill -9.
import type { HostCommand, HostNotice } from './task.ts';
import { TaskSet } from './task-set.ts';

const tasks = new TaskSet((notice: HostNotice) => {
  // When the other side has just gone, this must not end before what it has started.
  if (process.connected) process.send?.(notice, undefined, undefined, () => undefined);
});

process.on('message', (command: HostCommand) => {
  void tasks.set(command.tasks);
});

process.once('disconnect', () => {
  void tasks.set([]).finally(() => process.exit(0));
});
