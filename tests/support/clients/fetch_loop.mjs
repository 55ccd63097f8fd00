// fetch_loop.mjs TIMEOUT URL...   the same with node's own fetch
const [timeout, ...urls] = process.argv.slice(2);
const ms = Number(timeout) * 1000;

// An abort leaves a connect going on for 10 s: only the dispatcher can end it.
await fetch('data:,');
const Agent = globalThis[Symbol.for('undici.globalDispatcher.1')].constructor;
const dispatcher = new Agent({ connect: { timeout: ms }, headersTimeout: ms });

for (const url of urls) {
  if (!url.includes('/')) {
    await new Promise((done) => setTimeout(done, Number(url) * 1000));
    continue;
  }
  try {
    const answer = await fetch(url, { dispatcher });
    console.log(answer.status, (await answer.text()).trim());
    if (!answer.ok) process.exitCode = 1;
  } catch (error) {
    const cause = error.cause ?? {};
    console.log(`${error.name}: ${error.message}: ${cause.code}: ${cause.message}`);
    process.exitCode = 1;
  }
}
await dispatcher.close();
