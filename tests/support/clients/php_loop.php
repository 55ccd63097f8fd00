<?php
// curl|streams TIMEOUT URL...: prints the status and the body, or the error's text.
// Nothing but the error's text is shown of a warning.
error_reporting(0);
[, $how, $timeout] = $argv;

function by_curl(string $url, int $timeout): string
{
	$handle = curl_init($url);
	curl_setopt_array($handle, [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => $timeout]);
	$body = curl_exec($handle);
	return $body === false
		? curl_errno($handle) . " " . curl_error($handle)
		: curl_getinfo($handle, CURLINFO_RESPONSE_CODE) . " " . $body;
}

function by_streams(string $url, int $timeout): string
{
	$context = stream_context_create(["http" => ["timeout" => $timeout, "ignore_errors" => true]]);
	error_clear_last();
	$body = file_get_contents($url, false, $context);
	return $body === false
		? error_get_last()["message"]
		: explode(" ", $http_response_header[0])[1] . " " . $body;
}

foreach (array_slice($argv, 3) as $url)
	echo trim($how === "curl" ? by_curl($url, $timeout) : by_streams($url, $timeout)), "\n";
