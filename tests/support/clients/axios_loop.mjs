// axios_loop.mjs TIMEOUT WORD...   see loop.mjs; axios with agents that keep
import http from 'node:http';
import https from 'node:https';
import axios from 'axios';
import { run, timeoutMs } from './loop.mjs';

const httpAgent = new http.Agent({ keepAlive: true });
const httpsAgent = new https.Agent({ keepAlive: true });
const client = axios.create({
  timeout: timeoutMs, httpAgent, httpsAgent, responseType: 'text', validateStatus: null,
});

await run(async (url) => {
  const answer = await client.get(url);
  return [answer.status, answer.data];
});
httpAgent.destroy();
httpsAgent.destroy();
