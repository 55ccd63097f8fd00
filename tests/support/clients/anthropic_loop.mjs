// anthropic_loop.mjs TIMEOUT WORD...   see loop.mjs; the SDK of a provider of models, as it comes
import Anthropic from '@anthropic-ai/sdk';
import { run, timeoutMs } from './loop.mjs';

await run(async (url) => {
  const client = new Anthropic({ apiKey: 'none', baseURL: url, timeout: timeoutMs });
  const answer = await client.messages.create({
    model: 'none', max_tokens: 1, messages: [{ role: 'user', content: 'hello' }],
  });
  return [200, JSON.stringify(answer)];
});
