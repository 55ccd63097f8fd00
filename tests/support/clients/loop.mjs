// What the clients in node have in common: NAME_loop.mjs TIMEOUT WORD...
// A word is a URL, N*URL for N requests at the same time, or a number of seconds to pause.
// One line is printed for each request, and the exit code is 1 when one failed.
const words = process.argv.slice(3);
export const timeoutMs = Number(process.argv[2]) * 1000;

function print(line, failed) {
  console.log(line);
  if (failed) process.exitCode = 1;
}

// ask(URL) gives [status, text], or throws.
export async function run(ask) {
  async function one(url) {
    try {
      const [status, text] = await ask(url);
      print(`${status} ${text.trim()}`, status >= 400);
    } catch (error) {
      const cause = error.cause ?? error;
      print(`${error.name}: ${error.message}: ${cause.code}: ${cause.message}`, true);
    }
  }
  for (const word of words) {
    if (!word.includes('/')) {
      await new Promise((done) => setTimeout(done, Number(word) * 1000));
      continue;
    }
    const [url, count] = word.split('*').reverse();
    await Promise.all(Array.from({ length: Number(count ?? 1) }, () => one(url)));
  }
}
