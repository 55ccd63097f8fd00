"""smtp_chat.py PORT PAUSE COUNT   so many mails over one connection, a pause before each."""
import smtplib
import sys
import time

port, pause, count = sys.argv[1:]
with smtplib.SMTP("127.0.0.1", int(port), timeout=20) as chat:
    for number in range(int(count)):
        time.sleep(float(pause))
        chat.sendmail("a@carrier.example", ["b@carrier.example"], f"Subject: {number}\n\nhello\n")
        print("sent", number, flush=True)
