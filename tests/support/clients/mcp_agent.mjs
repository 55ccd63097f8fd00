// mcp_agent.mjs URL N: asks for URL itself N times, then lets the tool of an MCP server,
// started over stdio, ask once more; prints what came of each.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [url, count] = process.argv.slice(2);

for (let i = 0; i < Number(count); i++)
	console.log(await fetch(url).then(r => r.status, e => e.cause?.code ?? e.message));

const server = new URL("mcp_server.mjs", import.meta.url).pathname;
const client = new Client({ name: "agent", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command: process.execPath, args: [server, url] }));
const { content } = await client.callTool({ name: "track", arguments: {} });
console.log(content[0].text);
await client.close();
