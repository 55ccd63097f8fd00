// mcp_http_agent.mjs PORT: opens a session with an MCP server over streamable HTTP, and calls
// its tool at each line of stdin; prints what the call came to, and how many ms it took.
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const url = new URL(`http://127.0.0.1:${process.argv[2]}/mcp`);
const client = new Client({ name: "agent", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(url));
console.log("connected");

async function call() {
	try {
		const { isError, content } = await client.callTool({ name: "track", arguments: {} });
		return `${isError ? "refused" : "ok"} ${content[0].text}`;
	} catch (error) {
		return `failed ${error.cause?.code ?? error.message}`;
	}
}

for await (const line of createInterface({ input: process.stdin })) {
	const since = performance.now();
	const said = await call();
	console.log(`${Math.round(performance.now() - since)} ${said}`);
}
process.exit();
