/* What curl 7.88 (nghttp2 1.52) and node 20 wrote to each other, and what it says. */
#include "tests/unit/http2_support.h"

static void
curl_asks(void **state)
{
	static const struct frames talk[] = {
		{true,
		 PREFACE "000012 04 00 00000000 000300000064000402000000000200000000 "
			 "000004 08 00 00000000 01ff0001 "
			 "000022 01 05 00000001 "
			 "8204032f6f6b86418a089d5c0b8170dc74200f7a8825b650c3abbcf2e153032a2f2a"},
		{false, SETTINGS},
		{true, SETTINGS_ACK},
		{false, SETTINGS_ACK
		 "00001a 01 04 00000001 886197d07abe94640a693f75040138a05fb8db371b714c5a37ff "
		 "000002 00 01 00000001 6869"},
	};

	(void)state;
	assert_frames(talk, "question#1 asked#1 answer#1=200");
}

static void
curl_asks_for_the_head_alone(void **state)
{
	static const struct frames talk[] = {
		{true,
		 PREFACE "000012 04 00 00000000 000300000064000402000000000200000000 "
			 "000004 08 00 00000000 01ff0001 "
			 "000027 01 05 00000001 "
			 "42044845414404032f6f6b86418a089d5c0b8170dc7420677a8825b650c3abbcf2e1530"
			 "32a2f2a"},
		{false, SETTINGS},
		{true, SETTINGS_ACK},
		{false, SETTINGS_ACK
		 "00001a 01 05 00000001 886197d07abe94640a693f75040138a05fb8db371b794c5a37ff"},
	};

	(void)state;
	assert_frames(talk, "question#1 asked#1 answer#1=200");
}

static void
curl_posts(void **state)
{
	static const struct frames talk[] = {
		{true,
		 PREFACE "000012 04 00 00000000 000300000064000402000000000200000000 "
			 "000004 08 00 00000000 01ff0001 "
			 "000041 01 04 00000001 "
			 "83048462b3a13f86418a089d5c0b8170dc7420177a8825b650c3abbcf2e153032a2f2a0"
			 "f0d01355f981d75d0620d263d4c795bc78f0b4a7b295adb282d443c8593 "
			 "000005 00 01 00000001 68656c6c6f"},
		{false, SETTINGS},
		{true, SETTINGS_ACK},
		{false, SETTINGS_ACK
		 "00001d 01 04 00000001 488210036197d07abe94640a693f75040138a05fb8db371b754c5a37ff "
		 "000001 00 01 00000001 79"},
	};

	(void)state;
	assert_frames(talk, "question#1 asked#1 answer#1=201");
}

static void
node_asks_one_after_the_other_and_at_once(void **state)
{
	static const struct frames talk[] = {
		{true,
		 PREFACE SETTINGS "000013 01 05 00000001 04032f6f6b82418a089d5c0b8170dc74206f86"},
		{false, SETTINGS SETTINGS_ACK
		 "000019 01 04 00000001 886196d07abe94640a693f75040138a05fb8db5700053168df "
		 "000002 00 01 00000001 6869"},
		{true, SETTINGS_ACK "000009 01 05 00000003 0484623b51eb82be86"},
		{false, "000006 01 04 00000003 4803353033bf "
			"000004 00 01 00000003 62757379"},
		{true, "000009 01 05 00000005 0484623b51eb82be86"},
		{false, "000002 01 04 00000005 bebf "
			"000004 00 01 00000005 62757379"},
		{true, "00000a 01 05 00000007 0485627354947f82be86"},
		{false, "00000a 01 04 00000007 488208196d043c2f613e "
			"000002 01 04 00000007 88c1 "
			"000001 00 01 00000007 78"},
		{true, "00000c 01 05 00000009 048761360cd416c47f82be86"},
		{false, "000002 01 04 00000009 88c1 "
			"000001 00 00 00000009 78 "
			"00000c 01 05 00000009 40889acac8b21234da8f0130"},
		{true, "00000c 01 05 0000000b 048761360cd416c47f82be86"},
		{false, "000002 01 04 0000000b 88c2 "
			"000001 00 00 0000000b 78 "
			"000001 01 05 0000000b be"},
		{true, "00000b 01 05 0000000d 048662c2cb6a0b2782be86"},
		{false, "000004 03 00 0000000d 00000007"},
		{true, "00000b 01 05 0000000f 0486623b0fd4b57f82be86"},
		{false, "000004 03 00 0000000f 00000002"},
		{true, "000009 01 05 00000011 04846271d53782be86 "
		       "000004 03 00 00000011 00000008 "
		       "000009 01 04 00000013 048462b3a13f83be86 "
		       "000001 00 00 00000013 68 "
		       "000004 00 00 00000013 656c6c6f "
		       "000000 00 01 00000013"},
		{false, "00001c 01 04 00000013 "
			"488210036196d07abe94640a693f75040138a05fb8db5700153168df "
			"000001 00 01 00000013 79"},
		{true, "000008 01 05 00000015 04032f6f6b82be86 "
		       "000009 01 05 00000017 0484623b51eb82be86 "
		       "000009 01 05 00000019 048462a3d45f82be86"},
		{false, "000002 01 04 00000015 88be "
			"000002 01 04 00000017 c3be "
			"000002 01 05 00000019 89be "
			"000002 00 01 00000015 6869 "
			"000004 00 01 00000017 62757379"},
		{true, "000008 07 00 00000000 0000000000000000"},
		{false, "000008 07 00 00000000 0000001900000000 "
			"000008 07 00 00000000 0000001900000000"},
	};

	(void)state;
	assert_frames(talk, "question#1 asked#1 answer#1=200 question#3 asked#3 answer#3=503 "
			    "question#5 asked#5 answer#5=503 question#7 asked#7 answer#7=200 "
			    "question#9 asked#9 answer#9=200 question#11 asked#11 answer#11=200 "
			    "question#13 asked#13 abort#13=0 question#15 asked#15 abort#15=1 "
			    "question#17 asked#17 cancel#17 question#19 asked#19 answer#19=201 "
			    "question#21 asked#21 question#23 asked#23 question#25 asked#25 "
			    "answer#21=200 answer#23=503 answer#25=204");
}

static void
node_pushes(void **state)
{
	static const struct frames talk[] = {
		{true,
		 PREFACE SETTINGS "000014 01 05 00000001 048462bb513f82418a089d5c0b8170dc74207786"},
		{false, SETTINGS},
		{true, SETTINGS_ACK},
		{false, SETTINGS_ACK
		 "000019 05 04 00000001 00000002048562bb51396482418a089d5c0b8170dc74207786 "
		 "000019 01 04 00000001 886196d07abe94640a693f75040138a05fb8db5702253168df "
		 "000002 01 04 00000002 88be "
		 "000001 00 01 00000001 7a "
		 "000001 00 01 00000002 70"},
		{true, "000008 01 05 00000003 04032f6f6b82be86"},
		{false, "000002 01 04 00000003 88be "
			"000002 00 01 00000003 6869"},
		{true, "000008 07 00 00000000 0000000200000000"},
		{false, "000008 07 00 00000000 0000000300000000 "
			"000008 07 00 00000000 0000000300000000"},
	};

	(void)state;
	assert_frames(talk, "question#1 asked#1 answer#1=200 question#3 asked#3 answer#3=200");
}

static void
node_says_goodbye_before_it_has_answered_all(void **state)
{
	static const struct frames talk[] = {
		{true,
		 PREFACE SETTINGS "000013 01 05 00000001 0483623f4582418a089d5c0b8170dc74207b86 "
				  "000009 01 05 00000003 04846271d53782be86 "
				  "000008 01 05 00000005 04032f6f6b82be86"},
		{false, SETTINGS SETTINGS_ACK
		 "000019 01 04 00000001 886196d07abe94640a693f75040138a05fb8db5702ea98b46f "
		 "000008 07 00 00000000 0000000100000000 "
		 "000001 00 01 00000001 62"},
		{true, SETTINGS_ACK "000008 07 00 00000000 0000000000000000 "
				    "000008 07 00 00000000 0000000000000000"},
	};

	(void)state;
	assert_frames(talk, "question#1 asked#1 question#3 asked#3 question#5 asked#5 "
			    "answer#1=200 doubt");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(curl_asks),
		cmocka_unit_test(curl_asks_for_the_head_alone),
		cmocka_unit_test(curl_posts),
		cmocka_unit_test(node_asks_one_after_the_other_and_at_once),
		cmocka_unit_test(node_pushes),
		cmocka_unit_test(node_says_goodbye_before_it_has_answered_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
