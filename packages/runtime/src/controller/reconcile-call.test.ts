import { expect, test } from 'vitest';
import { ReconcileCall } from './reconcile-call.ts';

test('the signal of a call is one and the same, in a copy of its context too', () => {
  const { context } = new ReconcileCall(new AbortController().signal, 3);
  const copy = { ...context };
  expect(copy.failures).toBe(3);
  expect(copy.signal).toBe(context.signal);
  expect(context.signal.aborted).toBe(false);
});

test('it aborts with the controller, for its reason, before it was asked for and after', () => {
  for (const isEarly of [true, false]) {
    const stop = new AbortController();
    const call = new ReconcileCall(stop.signal, 0);
    if (!isEarly) expect(call.context.signal.aborted).toBe(false);
    stop.abort('stopped');
    expect(call.context.signal.reason).toBe('stopped');
  }
});

test('it aborts by itself, for the first reason, before it was asked for and after', () => {
  for (const isEarly of [true, false]) {
    const stop = new AbortController();
    const call = new ReconcileCall(stop.signal, 0);
    if (!isEarly) expect(call.context.signal.aborted).toBe(false);
    call.abort('late');
    call.abort('later');
    stop.abort('stopped');
    expect(call.context.signal.reason).toBe('late');
  }
});

test('a call that is over hears no more', () => {
  const stop = new AbortController();
  const call = new ReconcileCall(stop.signal, 0);
  const { signal } = call.context;
  call.end();
  stop.abort();
  expect(signal.aborted).toBe(false);
  new ReconcileCall(stop.signal, 0).end();
});
