# net_http_loop.rb TIMEOUT WORD...   Net::HTTP, one connection for each server
# A word is a URL or a number of seconds to pause. One line is printed for each request,
# and the exit code is 1 when one failed.
require 'net/http'

timeout, *words = ARGV
$stdout.sync = true
failed = false
kept = Hash.new do |all, (scheme, host, port)|
  all[[scheme, host, port]] = Net::HTTP.new(host, port, nil).tap do |http|
    http.use_ssl = scheme == 'https'
    http.open_timeout = http.read_timeout = Float(timeout)
  end
end

words.each do |word|
  next sleep Float(word) unless word.include?('/')

  url = URI(word)
  begin
    http = kept[[url.scheme, url.host, url.port]]
    http.start unless http.started?
    answer = http.get(url.request_uri)
    puts "#{answer.code} #{answer.body.to_s.strip}"
    failed ||= answer.code.to_i >= 400
  rescue StandardError => e
    puts "#{e.class}: #{e.message}"
    failed = true
  end
end
exit !failed
