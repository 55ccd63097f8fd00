// fetch_loop.mjs TIMEOUT WORD...   see loop.mjs; node's own fetch
import { run, timeoutMs } from './loop.mjs';

// An abort leaves a connect going on for 10 s: only the dispatcher can end it.
// The fetch of Debian's node 18 asks no other than the global one, and asks it for 300 s.
await fetch('data:,');
const key = Symbol.for('undici.globalDispatcher.1');
const Agent = globalThis[key].constructor;
class Impatient extends Agent {
  dispatch(options, handler) {
    return super.dispatch({ ...options, headersTimeout: timeoutMs }, handler);
  }
}
const dispatcher = new Impatient({ connect: { timeout: timeoutMs } });
globalThis[key] = dispatcher;

await run(async (url) => {
  const answer = await fetch(url);
  const text = await answer.text();
  await new Promise(setImmediate);      // the connection is free again only now
  return [answer.status, text];
});
await dispatcher.close();
