// openai_loop.mjs TIMEOUT WORD...   see loop.mjs; the SDK of a provider of models, as it comes
import OpenAI from 'openai';
import { run, timeoutMs } from './loop.mjs';

await run(async (url) => {
  const client = new OpenAI({ apiKey: 'none', baseURL: url, timeout: timeoutMs });
  const answer = await client.chat.completions.create({
    model: 'none', messages: [{ role: 'user', content: 'hello' }],
  });
  return [200, JSON.stringify(answer)];
});
