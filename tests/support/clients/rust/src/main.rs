//! loop std|ureq TIMEOUT WORD...   a TcpStream and HTTP by hand, or one ureq::Agent
//! A word is a URL or a number of seconds to pause. One line is printed for each request,
//! and the exit code is 1 when one failed.
use std::collections::HashMap;
use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

type Answer = Result<(u16, String), Box<dyn Error>>;
type Kept = HashMap<String, BufReader<TcpStream>>;

fn connect(server: &str, timeout: Duration) -> std::io::Result<BufReader<TcpStream>> {
    let address = server.to_socket_addrs()?.next().expect("an address");
    let stream = TcpStream::connect_timeout(&address, timeout)?;
    stream.set_read_timeout(Some(timeout))?;
    Ok(BufReader::new(stream))
}

/// The answer, and whether the connection goes on.
fn question(
    stream: &mut BufReader<TcpStream>,
    server: &str,
    path: &str,
) -> Result<((u16, String), bool), Box<dyn Error>> {
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {server}\r\n\r\n");
    stream.get_mut().write_all(request.as_bytes())?;
    let mut status = String::new();
    if stream.read_line(&mut status)? == 0 {
        return Err("end of stream".into());
    }
    let (mut length, mut goes_on) = (0, true);
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let line = line.trim().to_lowercase();
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.parse()?;
        }
        goes_on &= line != "connection: close";
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    let status = status.split(' ').nth(1).ok_or("no status")?.parse()?;
    Ok(((status, String::from_utf8(body)?), goes_on))
}

fn by_std(kept: &mut Kept, url: &str, timeout: Duration) -> Answer {
    let rest = url.strip_prefix("http://").ok_or("http alone")?;
    let (server, path) = rest.split_once('/').ok_or("no path")?;
    let mut stream = match kept.remove(server) {
        Some(stream) => stream,
        None => connect(server, timeout)?,
    };
    let (answer, goes_on) = question(&mut stream, server, path)?;
    if goes_on {
        kept.insert(server.to_string(), stream);
    }
    Ok(answer)
}

fn by_ureq(agent: &ureq::Agent, url: &str) -> Answer {
    match agent.get(url).call() {
        Ok(answer) => Ok((answer.status(), answer.into_string()?)),
        Err(ureq::Error::Status(status, answer)) => Ok((status, answer.into_string()?)),
        Err(error) => Err(error.into()),
    }
}

fn main() {
    let mut words = std::env::args().skip(1);
    let kind = words.next().expect("std or ureq");
    let seconds: f64 = words.next().expect("a time-out").parse().expect("a number");
    let timeout = Duration::from_secs_f64(seconds);
    let builder = ureq::AgentBuilder::new();
    let agent = builder.timeout_connect(timeout).timeout(timeout).build();
    let mut kept = Kept::new();
    let mut failed = false;
    for word in words {
        if !word.contains('/') {
            std::thread::sleep(Duration::from_secs_f64(word.parse().expect("a number")));
            continue;
        }
        let answer = match kind.as_str() {
            "std" => by_std(&mut kept, &word, timeout),
            _ => by_ureq(&agent, &word),
        };
        match answer {
            Ok((status, body)) => {
                println!("{} {}", status, body.trim());
                failed |= status >= 400;
            }
            Err(error) => {
                println!("{error}");
                failed = true;
            }
        }
    }
    std::process::exit(failed.into());
}
