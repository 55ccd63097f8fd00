// fetch_loop.mjs TIMEOUT URL...   the same with node's own fetch
const [timeout, ...urls] = process.argv.slice(2);
const ms = Number(timeout) * 1000;

// An abort leaves a connect going on for 10 s: only the dispatcher can end it.
// The fetch of Debian's node 18 asks no other than the global one, and asks it for 300 s.
await fetch('data:,');
const key = Symbol.for('undici.globalDispatcher.1');
const Agent = globalThis[key].constructor;
class Impatient extends Agent {
  dispatch(options, handler) {
    return super.dispatch({ ...options, headersTimeout: ms }, handler);
  }
}
const dispatcher = new Impatient({ connect: { timeout: ms } });
globalThis[key] = dispatcher;

for (const url of urls) {
  if (!url.includes('/')) {
    await new Promise((done) => setTimeout(done, Number(url) * 1000));
    continue;
  }
  try {
    const answer = await fetch(url);
    console.log(answer.status, (await answer.text()).trim());
    if (!answer.ok) process.exitCode = 1;
  } catch (error) {
    const cause = error.cause ?? {};
    console.log(`${error.name}: ${error.message}: ${cause.code}: ${cause.message}`);
    process.exitCode = 1;
  }
}
await dispatcher.close();
