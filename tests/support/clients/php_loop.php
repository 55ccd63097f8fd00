<?php
// curl|streams TIMEOUT WORD...: prints the status and the body, or the error's text.
// A word is a URL or a number of seconds to pause. libcurl has one handle for all of them.
// Nothing but the error's text is shown of a warning.
error_reporting(0);
[, $how, $timeout] = $argv;
$ca = getenv("SSL_CERT_FILE") ?: "/etc/ssl/certs/ca-certificates.crt";

function by_curl(string $url): string
{
	global $timeout, $ca;
	static $handle = null;
	$handle ??= curl_init();
	curl_setopt_array($handle, [CURLOPT_URL => $url, CURLOPT_RETURNTRANSFER => true,
		CURLOPT_CAINFO => $ca, CURLOPT_TIMEOUT_MS => (int) ($timeout * 1000)]);
	$body = curl_exec($handle);
	return $body === false
		? curl_errno($handle) . " " . curl_error($handle)
		: curl_getinfo($handle, CURLINFO_RESPONSE_CODE) . " " . $body;
}

function by_streams(string $url): string
{
	global $timeout, $ca;
	$context = stream_context_create([
		"http" => ["timeout" => (float) $timeout, "ignore_errors" => true],
		"ssl" => ["cafile" => $ca]]);
	error_clear_last();
	$body = file_get_contents($url, false, $context);
	return $body === false
		? error_get_last()["message"]
		: explode(" ", $http_response_header[0])[1] . " " . $body;
}

foreach (array_slice($argv, 3) as $word)
	if (str_contains($word, "/"))
		echo trim($how === "curl" ? by_curl($word) : by_streams($word)), "\n";
	else
		usleep((int) ($word * 1e6));
