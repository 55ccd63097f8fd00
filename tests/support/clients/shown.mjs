// shown.mjs NAME WORD...   asks by a client for each URL in turn, with its own retries and
// time-outs, and prints the text of its error, or status, reason and body. A word may be a
// number of seconds to pause.
import http from 'node:http';
import https from 'node:https';

const [name, ...words] = process.argv.slice(2);
const httpAgent = new http.Agent({ keepAlive: true });
const httpsAgent = new https.Agent({ keepAlive: true });
const hello = [{ role: 'user', content: 'hello' }];

function show(status, reason, body) {
  return [status, reason, typeof body === 'string' ? body : JSON.stringify(body)].join(' ');
}

const makers = {
  async node_http() {
    return (url) => new Promise((resolve, reject) => {
      const [{ get }, agent] = url.startsWith('https:') ? [https, httpsAgent] : [http, httpAgent];
      get(url, { agent }, async (answer) => {
        let text = '';
        for await (const part of answer) text += part;
        resolve(show(answer.statusCode, answer.statusMessage, text));
      }).on('error', reject);
    });
  },
  async fetch() {
    return async (url) => {
      const answer = await fetch(url);
      return show(answer.status, answer.statusText, await answer.text());
    };
  },
  async axios() {
    const client = (await import('axios')).default.create({ httpAgent, httpsAgent });
    return async (url) => {
      const answer = await client.get(url);
      return show(answer.status, answer.statusText, answer.data);
    };
  },
  async got() {
    const { default: got } = await import('got');
    const client = got.extend({ agent: { http: httpAgent, https: httpsAgent } });
    return async (url) => {
      const answer = await client(url);
      return show(answer.statusCode, answer.statusMessage, answer.body);
    };
  },
  async ky() {
    const { default: ky } = await import('ky');
    return async (url) => {
      const answer = await ky(url);
      return show(answer.status, answer.statusText, await answer.text());
    };
  },
  async openai() {
    const { default: OpenAI } = await import('openai');
    return async (baseURL) => show(200, '', await new OpenAI({ apiKey: 'none', baseURL })
      .chat.completions.create({ model: 'none', messages: hello }));
  },
  async anthropic() {
    const { default: Anthropic } = await import('@anthropic-ai/sdk');
    return async (baseURL) => show(200, '', await new Anthropic({ apiKey: 'none', baseURL })
      .messages.create({ model: 'none', max_tokens: 1, messages: hello }));
  },
  async mcp() {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StreamableHTTPClientTransport } =
      await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    const sessions = new Map();
    return async (url) => {
      if (!sessions.has(url)) {
        const client = new Client({ name: 'agent', version: '1.0.0' });
        await client.connect(new StreamableHTTPClientTransport(new URL(url)));
        sessions.set(url, client);
      }
      const { isError, content } = await sessions.get(url).callTool({ name: 'track', arguments: {} });
      return show(isError ? 'isError' : 'result', '', content[0].text);
    };
  },
};

const ask = await makers[name]();
for (const word of words) {
  if (!word.includes('/')) {
    await new Promise((done) => setTimeout(done, Number(word) * 1000));
    continue;
  }
  const line = await ask(word).catch((error) => `${error.name}: ${error.message}`);
  console.log(line.replace(/\s+/g, ' '));
  await new Promise(setImmediate);      // the connection is free again only now
}
process.exit();
